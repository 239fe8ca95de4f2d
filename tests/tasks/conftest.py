import os
from pathlib import Path

import pytest

from tests.servers import FileServer, closed_port

# The Hub's client reads these when it is imported: no test asks the real Hub, or looks into the user's cache of it.
os.environ["HF_HOME"] = str(Path(os.environ["NADP_HOME"], "hub"))
os.environ["HF_ENDPOINT"] = closed_port()
os.environ["HF_UPDATE_DOWNLOAD_COUNTS"] = "0"
os.environ["NO_PROXY"] = "127.0.0.1"
for name in ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE"):
    os.environ.pop(name, None)


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
