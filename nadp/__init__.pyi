from .calibration import noise_multiplier, privacy_profile
from .components import Neighbourhoods, neighbourhoods
from .embeddings import Embeddings
from .errors import FormatError, InputError, NoSensitivityError
from .files import read_embeddings
from .graph import NeighbourGraph, neighbour_graph
from .mechanisms import MECHANISMS, Guarantee, Mechanism
from .sample import SAMPLE
from .scores import Score
from .search import NearestNeighbours, nearest_neighbours
from .space import EmbeddingSpace
from .texts import TextEncoder
from .vocabulary import Vocabulary, frequent_and_needed

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
