"""Differential privacy for static word embeddings, and a measurement of how private they really are.

Each name is imported on first use, so `import nadp` is quick.
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING

if sys.platform == "win32":
    raise ImportError("nadp needs Linux or macOS: it uses POSIX locks and fsync of folders, which Windows lacks")

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

_NAMES_OF = {  # no name may equal that of a module here: the module would shadow it
    "calibration": ("noise_multiplier", "privacy_profile"),
    "components": ("Neighbourhoods", "neighbourhoods"),
    "embeddings": ("Embeddings",),
    "errors": ("FormatError", "InputError", "NoSensitivityError"),
    "files": ("read_embeddings",),
    "graph": ("NeighbourGraph", "neighbour_graph"),
    "mechanisms": ("MECHANISMS", "Guarantee", "Mechanism"),
    "sample": ("SAMPLE",),
    "scores": ("Score",),
    "search": ("NearestNeighbours", "nearest_neighbours"),
    "space": ("EmbeddingSpace",),
    "texts": ("TextEncoder",),
    "vocabulary": ("Vocabulary", "frequent_and_needed"),
}
_MODULE_OF = {name: module for module, names in _NAMES_OF.items() for name in names}


if not TYPE_CHECKING:  # a type checker would take every name for known

    def __getattr__(name: str) -> object:
        """Import a public name (PEP 562)."""
        if name not in _MODULE_OF:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
