"""Compiles an experiment's slow-compiling kernels on a few words, while it waits for something else."""

from nadp.files import read_embeddings
from nadp.groups import Bounds, partition, uniform_prior
from nadp.sample import SAMPLE
from nadp.space import EmbeddingSpace

_WORDS = 100


def warm_up() -> None:
    """Compile (or load from numba's cache) the kernels that read vectors, find neighbours and make groups."""
    embeddings = read_embeddings(SAMPLE, limit=_WORDS)
    space = EmbeddingSpace.build(embeddings)
    partition(embeddings, space.neighbours, uniform_prior(_WORDS), Bounds(min_size=2))
