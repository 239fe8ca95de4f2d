import sys

import pytest

from tests.end_to_end.outside import refusing_proxy
from tests.end_to_end.page import run_block
from tests.end_to_end.running import lacking, serve, work
from tests.flows.conftest import benchmarks, embedding, lines, names  # noqa: F401 - fixtures of these tests, too


@pytest.fixture(scope="session", autouse=True)
def _on_linux():
    """Processes are found in /proc, and the kernel ends them with pytest."""
    if sys.platform != "linux":
        lacking("these tests need Linux: they find processes in /proc")


@pytest.fixture(scope="session")
def proxy():
    """What processes would have to pass to ask anything outside over HTTP."""
    with refusing_proxy() as running:
        yield running


@pytest.fixture(scope="session")
def server(tmp_path_factory, proxy):
    """A server on SQLite with all deployments, and a pool that no worker serves at the moment."""
    proxies = {"HTTP_PROXY": proxy.url, "HTTPS_PROXY": proxy.url}
    with serve(tmp_path_factory.mktemp("server"), **proxies) as running:
        with work(running):
            done = run_block(running, "deploy")
        assert done.returncode == 0, done.stdout
        yield running


@pytest.fixture(scope="module")
def worker(server):
    """A worker of the server, for all tests of a module."""
    with work(server) as running:
        yield running


@pytest.fixture(scope="session")
def small(embedding, benchmarks, names):  # noqa: F811 - the fixtures
    """The parameters of an experiment of some seconds."""
    return {
        "embedding": str(embedding),
        "words": 500,
        "mechanisms": ["nadp", "mahalanobis"],
        "taus": [0.3],
        "isolated": ["nearest", "exact"],
        "epsilons": [1.0, 10.0],
        "repeats": 2,
        "benchmarks": names,
        "benchmarks_dir": str(benchmarks),
    }
