"""Deployments do what their page says, also when something is wrong with their input."""

import csv
import shutil
from datetime import UTC, datetime, timedelta

import pytest

from tests.end_to_end.experiments import started
from tests.end_to_end.running import run_cli, until

pytestmark = pytest.mark.servers


@pytest.fixture(scope="module", autouse=True)
def _working(worker):
    """A worker takes the runs."""


def test_one_damaged_benchmark_leaves_the_others_and_ends_failed(server, small, tmp_path):
    folder = tmp_path / "benchmarks"
    shutil.copytree(small["benchmarks_dir"], folder)
    (folder / "word_similarity" / "rg65" / "EN-RG-65.txt").write_bytes(b"\x89PNG\r\n\x1a\n\0\0 no pairs of words")
    done, run = started(server, small | {"benchmarks_dir": str(folder), "out": str(tmp_path / "out")}, "--watch")
    assert done.returncode == 1
    state = server.run(run)["state"]
    assert (state["type"], state["name"]) == ("FAILED", "Failed")
    assert "not evaluated: rg65" in state["message"]
    with (tmp_path / "out" / "scores.csv").open(newline="") as file:
        assert {row["benchmark"] for row in csv.DictReader(file)} >= {"sts-b", "cr", "odd-man-out", "privacy"}
    states = {task["name"]: task["state"]["type"] for task in server.task_runs(run)}
    assert states.pop("fetch-benchmark rg65") == "FAILED"
    assert set(states.values()) == {"COMPLETED"}


def test_a_scheduled_run_is_made_and_done_by_itself(server):
    soon = (datetime.now(UTC) + timedelta(seconds=20)).isoformat()
    every_day = ["--interval", "86400", "--anchor-date", soon]
    command = ["--no-prompt", "deploy", "flows.experiment.experiment", "--name", "soon", "--pool", "nadp", *every_day]
    done = run_cli(server, *command, "--param", "plan=true")
    assert done.returncode == 0, done.stdout
    deployment = server.ask("GET", "/deployments/name/experiment/soon")
    ended = until(
        lambda: server.runs(deployment_id={"any_": [deployment["id"]]}, state={"type": {"any_": ["COMPLETED"]}}),
        "the scheduled run is completed",
    )
    server.ask("PATCH", f"/deployments/{deployment['id']}", paused=True)
    (run,) = ended
    assert run["auto_scheduled"]
    assert run["state"]["message"].startswith("nothing was run; plan:")
