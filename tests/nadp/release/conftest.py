import pytest

from nadp import EmbeddingSpace


@pytest.fixture(scope="session")
def words(sample):
    """The 400 most frequent words of the sample."""
    return sample.subset(range(400))


@pytest.fixture(scope="session")
def space(words):
    """Their space, with isolated words joined."""
    return EmbeddingSpace.build(words, tau=0.3)
