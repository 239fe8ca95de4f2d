"""Differential privacy for static word embeddings, and an honest measure of how private they are."""

from nadp.calibration import noise_multiplier, privacy_profile
from nadp.embeddings import Embeddings
from nadp.errors import FormatError, InputError, NoSensitivityError
from nadp.files import read_embeddings
from nadp.graph import NeighbourGraph, neighbour_graph
from nadp.mechanisms import MECHANISMS, Guarantee, Mechanism
from nadp.neighbourhoods import Neighbourhoods, neighbourhoods
from nadp.sample import SAMPLE
from nadp.scores import Score
from nadp.search import NearestNeighbours, nearest_neighbours
from nadp.space import EmbeddingSpace
from nadp.texts import TextEncoder
from nadp.vocabulary import Vocabulary, frequent_and_needed

__all__ = [
    "MECHANISMS",
    "SAMPLE",
    "EmbeddingSpace",
    "Embeddings",
    "FormatError",
    "Guarantee",
    "InputError",
    "Mechanism",
    "NearestNeighbours",
    "NeighbourGraph",
    "Neighbourhoods",
    "NoSensitivityError",
    "Score",
    "TextEncoder",
    "Vocabulary",
    "frequent_and_needed",
    "nearest_neighbours",
    "neighbour_graph",
    "neighbourhoods",
    "noise_multiplier",
    "privacy_profile",
    "read_embeddings",
]
