"""Compiles an experiment's slow kernels and imports its slow modules, while it waits for something else."""

from importlib import import_module

from nadp.files import read_embeddings
from nadp.groups import Bounds, partition, uniform_prior
from nadp.sample import SAMPLE
from nadp.space import EmbeddingSpace

_WORDS = 100
_SLOW = ("pandas", "scipy.stats", "sklearn.cluster")  # otherwise imported when they are first needed


def warm_up() -> None:
    """Compile (or load from numba's cache) the kernels that read vectors, find neighbours and make groups."""
    for module in _SLOW:
        import_module(module)
    embeddings = read_embeddings(SAMPLE, limit=_WORDS)
    space = EmbeddingSpace.build(embeddings)
    partition(embeddings, space.neighbours, uniform_prior(_WORDS), Bounds(min_size=2))
