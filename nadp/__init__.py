"""Differential privacy for static word embeddings, and a measurement of how private they really are.

Each name is imported on first use, so `import nadp` is quick.
"""

import sys
from typing import TYPE_CHECKING

if sys.platform == "win32":
    raise ImportError("nadp needs Linux or macOS: it uses POSIX locks and fsync of folders, which Windows lacks")

from nadp.runtime.on_demand import on_demand

if TYPE_CHECKING:
    from nadp.calibration import noise_multiplier, privacy_profile
    from nadp.components import Neighbourhoods, neighbourhoods
    from nadp.embeddings import Embeddings
    from nadp.errors import FormatError, InputError, NoSensitivityError
    from nadp.files import read_embeddings
    from nadp.graph import NeighbourGraph, neighbour_graph
    from nadp.mechanisms import MECHANISMS, Guarantee, Mechanism
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

if not TYPE_CHECKING:  # a type checker would take every name for known
    __getattr__, __dir__ = on_demand(
        __name__,
        {
            "nadp.calibration": ("noise_multiplier", "privacy_profile"),
            "nadp.components": ("Neighbourhoods", "neighbourhoods"),
            "nadp.embeddings": ("Embeddings",),
            "nadp.errors": ("FormatError", "InputError", "NoSensitivityError"),
            "nadp.files": ("read_embeddings",),
            "nadp.graph": ("NeighbourGraph", "neighbour_graph"),
            "nadp.mechanisms": ("MECHANISMS", "Guarantee", "Mechanism"),
            "nadp.sample": ("SAMPLE",),
            "nadp.scores": ("Score",),
            "nadp.search": ("NearestNeighbours", "nearest_neighbours"),
            "nadp.space": ("EmbeddingSpace",),
            "nadp.texts": ("TextEncoder",),
            "nadp.vocabulary": ("Vocabulary", "frequent_and_needed"),
        },
    )
