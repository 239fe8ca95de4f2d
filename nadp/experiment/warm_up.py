"""What takes an experiment long to compile, done on a few words while there is something else to wait for."""

from nadp.files import read_embeddings
from nadp.groups import Bounds, partition, uniform_prior
from nadp.sample import SAMPLE
from nadp.space import EmbeddingSpace

_WORDS = 100


def warm_up() -> None:
    """Compile, or load from numba's cache, what reads vectors, finds neighbours and makes groups."""
    embeddings = read_embeddings(SAMPLE, limit=_WORDS)
    space = EmbeddingSpace.build(embeddings)
    partition(embeddings, space.neighbours, uniform_prior(_WORDS), Bounds(min_size=2))
