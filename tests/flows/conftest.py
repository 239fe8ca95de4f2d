import csv
import json
import zipfile
from itertools import islice

import pytest
from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterParentFlowRunId

from flows.server import server
from nadp import SAMPLE
from tests.flows.processes import Experiments


@pytest.fixture(scope="session")
def prefect_server():
    """One Prefect server for all tests that run flows in this process, started as a command starts its own."""
    with server() as await_server:
        await_server()
        yield


@pytest.fixture(scope="session")
def lines():
    """The first lines of the embedded sample."""
    with zipfile.ZipFile(SAMPLE) as archive, archive.open(archive.namelist()[0]) as file:
        return list(islice(file, 1200))


@pytest.fixture(scope="session")
def embedding(tmp_path_factory, lines):
    """A small embedding file: real vectors of 600 words."""
    path = tmp_path_factory.mktemp("embedding") / "small.txt"
    path.write_bytes(b"".join(lines[:600]))
    return path


@pytest.fixture(scope="session")
def benchmarks(tmp_path_factory, lines):
    """A folder of invented benchmarks, one of each family, in the layout of the real ones."""
    folder = tmp_path_factory.mktemp("benchmarks")
    words = [line.split(b" ")[0].decode() for line in lines]
    plain = [word for word in words if word.isalpha()]
    pairs = list(zip(plain[::2], plain[1::2], strict=False))[:80]

    def write(name, text):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    write("word_similarity/rg65/EN-RG-65.txt", "".join(f"{a}\t{b}\t{i % 11}\n" for i, (a, b) in enumerate(pairs)))
    sentences = [" ".join(plain[i : i + 5]) + "." for i in range(0, 200, 2)]
    rows = [f"g\tf\t2012\t{i}\t{i % 6}\t{s}\t{sentences[-i]}" for i, s in enumerate(sentences)]
    write("sts/stsbenchmark/sts-test.csv", "\n".join(rows) + "\n")
    write("text_classification/cr/custrev.pos", "\n".join(sentences[:50]) + "\n")
    write("text_classification/cr/custrev.neg", "\n".join(sentences[50:]) + "\n")
    puzzles = [f"c: {','.join(plain[i : i + 5])}" for i in range(0, 100, 5)]
    write("odd_man_out/cat9trmsS.txt", "\n".join(puzzles) + "\n")
    return folder


@pytest.fixture(scope="session")
def names():
    """The benchmarks that the folder holds."""
    return ["rg65", "sts-b", "cr", "odd-man-out"]


@pytest.fixture(scope="session")
def experiments(embedding, benchmarks, names):
    """Small experiments in processes of their own."""
    return Experiments(embedding, benchmarks, names)


@pytest.fixture(scope="session")
def threads(experiments, tmp_path_factory):
    """The scores that such a run gives on threads, with a folder of its own."""
    out = tmp_path_factory.mktemp("threads")
    said, code = experiments.done(out, NADP_HOME=str(out / "home"))
    assert code == 0, said
    return (out / "scores.csv").read_bytes()


def scores(folder):
    with (folder / "scores.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def manifest(folder):
    return json.loads((folder / "manifest.json").read_text())


def subflows(state):
    """The flow runs that a flow run started, by their ends."""
    parent = FlowRunFilterParentFlowRunId(any_=[state.state_details.flow_run_id])
    with get_client(sync_client=True) as client:
        return client.read_flow_runs(flow_run_filter=FlowRunFilter(parent_flow_run_id=parent))


@pytest.fixture
def offline(monkeypatch):
    """No network, whether or not there is one; the Hub's client has read the environment when it was imported."""
    import datasets
    import huggingface_hub

    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
