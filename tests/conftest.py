import gc
import os
import tempfile
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

from nadp import SAMPLE, Embeddings, EmbeddingSpace, read_embeddings

settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
settings.load_profile("repeatable")

SHARED = Path(os.environ.get("NADP_SHARED") or Path(__file__).parents[2] / "shared")

# Tasks read NADP_HOME, and Prefect PREFECT_HOME, when they are imported: no test may touch the user's own folders.
_HOME = tempfile.TemporaryDirectory(prefix="nadp-tests-", ignore_cleanup_errors=True)
os.environ["NADP_HOME"] = str(Path(_HOME.name, "nadp"))
os.environ["PREFECT_HOME"] = str(Path(_HOME.name, "prefect"))


_MOST_WORKERS = 8
# A server with its deployments takes half a minute to start. The tests of crashes and of PostgreSQL have servers of
# their own: those of crashes take as long as all of these.
_ONE_SERVER = {f"tests/end_to_end/test_{name}.py" for name in ("browser", "deployments", "page", "requests")}
OF_PREFECT = ("GlobalEventLoopThread", "RunSyncEventLoopThread", "APILogWorkerThread", "EventsWorkerThread")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    """Run all tests in parallel, a file in one process; tests of some files in this one unless -n says otherwise."""
    whole = config.args_source is config.ArgsSource.TESTPATHS and not hasattr(config, "workerinput")
    if whole and config.pluginmanager.hasplugin("xdist") and config.option.numprocesses is None:
        config.option.numprocesses, config.option.maxprocesses = "logical", _MOST_WORKERS
    if config.pluginmanager.hasplugin("xdist") and config.option.numprocesses:
        config.option.dist, config.option.loadscopereorder = "loadfile", False  # each worker keeps the order of below


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Collect the tests without garbage collection, which would take a sixth of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Give each process whole files, and one of them all files of _ONE_SERVER."""
    from xdist.scheduler import LoadFileScheduling

    class Files(LoadFileScheduling):
        def _split_scope(self, nodeid):
            file = super()._split_scope(nodeid)
            return "one server" if file in _ONE_SERVER else file

    return Files(config, log) if config.option.dist == "loadfile" else None


def pytest_configure():
    if os.environ.get("NADP_SHARED") and not SHARED.is_dir():
        raise pytest.UsageError(f"NADP_SHARED names no folder: {SHARED}")


def pytest_unconfigure():
    _HOME.cleanup()


def _needs_prefect(item):
    return "prefect_server" in item.fixturenames


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """Put the tests that run flows last: Prefect's threads stay in a process, and move its global random state.

    Tests with real servers may take longer than the others.
    """
    items.sort(key=_needs_prefect)
    for item in items:
        if item.get_closest_marker("servers"):
            item.add_marker(pytest.mark.timeout(900))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    if item.get_closest_marker("shared") and not SHARED.is_dir():
        # Their licences keep them out of the project, so a plain checkout cannot run these tests
        pytest.skip("needs real vectors and benchmarks: set NADP_SHARED to the folder that holds them")
    threads = [] if _needs_prefect(item) else [t.name for t in threading.enumerate() if t.name in OF_PREFECT]
    if threads:
        pytest.fail(f"Prefect's threads run beside a test without its server: {', '.join(threads)}", pytrace=False)


@pytest.fixture(scope="session")
def shared():
    return SHARED


def _named(vectors):
    return Embeddings([f"w{i}" for i in range(len(vectors))], vectors)


@pytest.fixture(scope="session")
def clustered():
    """240 words in 6 clusters of very different widths: graphs with isolated words and components of many sizes."""
    rng = np.random.default_rng(1)
    centres, widths = 3 * rng.normal(size=(6, 12)), 10 ** rng.uniform(-2, 0.3, size=(6, 1))
    chosen = rng.integers(0, 6, size=240)
    return _named(centres[chosen] + widths[chosen] * rng.normal(size=(240, 12)))


@pytest.fixture(scope="session")
def tied():
    """150 words on a small lattice: equal vectors, equal distances, and both zeros."""
    rng = np.random.default_rng(2)
    lattice = rng.integers(-2, 3, size=(150, 3)).astype(np.float32)
    return _named(np.where((lattice == 0) & (rng.random(lattice.shape) < 0.5), np.float32(-0.0), lattice))


@pytest.fixture(params=["clustered", "tied"])
def embeddings(request):
    """Each of the small embeddings."""
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="session")
def sample():
    """The embedding that comes with the library, 10,000 words."""
    return read_embeddings(SAMPLE)


@pytest.fixture(scope="session")
def sample_space(sample):
    """Its 2,000 most frequent words, with the policy that leaves isolated words without noise."""
    return EmbeddingSpace.build(sample.subset(range(2000)), tau=0.3, isolated="exact")
