import pytest

from nadp import EmbeddingSpace, TextEncoder

MECHANISMS = ["nadp", "gaussian", "laplacian", "mahalanobis"]


@pytest.fixture(scope="session")
def space(sample):
    return EmbeddingSpace.build(sample.subset(range(400)), tau=0.3)


@pytest.fixture(scope="session")
def encoders(space):
    return {name: TextEncoder.build(space, epsilon=2.0, mechanism=name) for name in MECHANISMS}


@pytest.fixture(scope="session")
def encoder(encoders):
    return encoders["nadp"]


@pytest.fixture(params=MECHANISMS)
def each(request, encoders):
    """An encoder of each mechanism."""
    return encoders[request.param]
