import os
from functools import cache
from pathlib import Path

import pytest

from tasks.sources.benchmarks.fetching import fetch_benchmark
from tasks.sources.benchmarks.locating import locate
from tests.servers import FileServer, closed_port

OFFLINE = ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE")

# The Hub's client reads these when it is imported: no test asks the real Hub, or looks into the user's cache of it.
os.environ["HF_HOME"] = str(Path(os.environ["NADP_HOME"], "hub"))
os.environ["HF_ENDPOINT"] = closed_port()
os.environ["HF_UPDATE_DOWNLOAD_COUNTS"] = "0"
os.environ["NO_PROXY"] = "127.0.0.1"


@pytest.fixture(autouse=True)
def _not_offline(monkeypatch):
    """Whatever the user has set, a test is offline only if it says so."""
    for name in OFFLINE:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def home(tmp_path, monkeypatch):
    """An empty folder for downloads and artefacts."""
    monkeypatch.setenv("NADP_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def server():
    """A server without files as yet."""
    with FileServer() as running:
        yield running


@pytest.fixture(scope="session")
def original(shared, tmp_path_factory):
    """A function that returns a benchmark from its original files, read once."""
    folder = tmp_path_factory.mktemp("originals")

    @cache
    def fetched(name):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("NADP_HOME", str(folder))
            return fetch_benchmark.fn(locate(name, str(shared / "benchmarks")))

    return fetched
