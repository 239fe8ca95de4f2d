import pytest

from nadp import EmbeddingSpace
from tests.nadp.small_experiment import Experiment


@pytest.fixture(scope="session")
def experiment(clustered):
    """A small experiment that was really run."""
    return Experiment(EmbeddingSpace.build(clustered, tau=0.5, isolated="exact"), [1.0, 40.0])
