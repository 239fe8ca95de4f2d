"""A table of documents through experiment, release and audit: vectors of real sentences."""

import importlib.util
import json
from pathlib import Path

import pytest

from flows.audit import audit
from flows.experiment import experiment
from flows.release import release
from nadp import read_embeddings
from tests.flows.conftest import scores

pytestmark = [pytest.mark.servers, pytest.mark.usefixtures("prefect_server")]

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "documents.py"
TASKS = ("subjective", "pairs", "kept")


@pytest.fixture(scope="module")
def folder(shared, tmp_path_factory):
    spec = importlib.util.spec_from_file_location("documents", EXAMPLE)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    out = tmp_path_factory.mktemp("documents")
    example.made(shared / "embeddings" / "glove.6B.100d.top80000.zip", shared / "benchmarks", out, each=400)
    return out


@pytest.mark.shared
def test_the_three_tasks_of_documents_are_scored_and_worse_with_more_noise(folder, tmp_path):
    state = experiment(
        embedding=str(folder / "documents.parquet"),
        task=[str(folder / f"{name}.toml") for name in TASKS],
        mechanisms=["nadp"],
        epsilons=[1.0, 2000.0],
        repeats=1,
        search="exact",
        out=str(tmp_path / "out"),
        return_state=True,
    )
    assert state.is_completed(), state.message
    rows = [r for r in scores(tmp_path / "out") if r["value"]]
    found = {(r["benchmark"], r["metric"], r["epsilon"]): float(r["value"]) for r in rows}
    for task, metric in (("subjective", "accuracy"), ("pairs", "spearman"), ("kept", "neighbours-kept")):
        noisy, nearly, without = (found[task, metric, epsilon] for epsilon in ("1.0", "2000.0", ""))
        assert noisy < nearly
        assert noisy < without
    assert found["subjective", "accuracy", ""] > 0.8
    assert found["kept", "neighbours-kept", ""] == 1


@pytest.mark.shared
def test_documents_are_released_and_audited(folder, tmp_path):
    original, out = folder / "documents.parquet", tmp_path / "private.parquet"
    state = release(
        str(original), str(out), 5.0, series="documents", ledger=str(tmp_path / "l.sqlite"), return_state=True
    )
    assert state.is_completed(), state.message
    assert read_embeddings(out).words.tolist() == read_embeddings(original).words.tolist()
    certificate = tmp_path / "private.parquet.certificate.json"
    options = {"draws": 0, "false_alarm": 1e-9, "strict": True, "out": str(tmp_path / "audit")}  # noise without a seed
    state = audit(str(original), str(out), str(certificate), **options, return_state=True)
    assert state.is_completed(), state.message
    assert json.loads(certificate.read_text())["written"] == "float32"
