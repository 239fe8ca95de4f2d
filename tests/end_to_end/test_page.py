"""docs/prefect.md is true: its commands are run as they stand, against a server with a port of its own."""

import re
import shutil
from pathlib import Path

import pytest

from tests.end_to_end.experiments import all_recorded, started
from tests.end_to_end.page import BLOCKS, PAGE, run_block, settings
from tests.end_to_end.running import SERVER, WORKER, processes_of, until

pytestmark = pytest.mark.servers

# Where the other blocks are run: "deploy" in conftest.py, "zombies" and "again" in test_crashes.py, "password" there,
# "postgresql" in test_postgresql.py
HERE = {"address", "server", "worker", "run", "artifacts", "cancel", "on", "off", "own"}
ELSEWHERE = {"deploy", "zombies", "again", "password", "postgresql"}


@pytest.fixture(scope="module", autouse=True)
def _working(worker):
    """A worker takes the runs."""


def test_each_block_of_the_page_is_run_by_a_test():
    assert len(re.findall("^```sh", PAGE, re.MULTILINE)) == len(BLOCKS)
    assert set(BLOCKS) == HERE | ELSEWHERE


def test_the_servers_and_workers_of_these_tests_are_those_of_the_page(server):
    assert BLOCKS["server"] == SERVER
    assert BLOCKS["worker"] == WORKER
    assert settings("address") == {"PREFECT_API_URL": server.url.replace(str(server.port), "4200")}


def test_every_deployment_of_the_page_is_there(server):
    named = set(re.findall(r"^\| `([a-z]+/[a-z-]+)`", PAGE, re.MULTILINE))
    flows = {flow["id"]: flow["name"] for flow in server.ask("POST", "/flows/filter")}
    found = server.ask("POST", "/deployments/filter")
    theirs = {f"{flows[one['flow_id']]}/{one['name']}" for one in found}
    assert named == theirs - {"experiment/nightly", "experiment/soon"}
    assert {one["work_pool_name"] for one in found} == {"nadp"}
    assert all(one["enforce_parameter_schema"] for one in found)


def test_a_run_is_watched_to_its_end_and_leaves_its_report_as_an_artifact(server):
    done = run_block(server, "run")
    assert done.returncode == 0, done.stdout
    run = server.run(re.search(r"UUID: (\S+)", done.stdout)[1])
    assert (run["state"]["type"], run["name"]) == ("COMPLETED", "experiment demo")
    assert run["tags"] == ["experiment"]
    folder = Path(re.search("report in ([^;]+)", run["state"]["message"])[1])
    assert (folder / "report.html").is_file()
    shutil.rmtree(folder)  # it is where a user's would be, in the checkout
    given = {"preset": "demo", "words": 500, "mechanisms": ["nadp"], "epsilons": [1, 10], "benchmarks": ["wordsim353"]}
    assert run["parameters"].items() >= given.items()
    curves = {curve["name"] for curve in server.curves(run["id"])}
    assert curves == {"no noise", "nadp tau=0.1 nearest", "nadp tau=0.1 exact"}
    assert all_recorded(server, run["id"]) == {"COMPLETED"}
    found = server.ask("POST", "/artifacts/filter", artifacts={"flow_run_id": {"any_": [run["id"]]}})
    assert {one["key"]: one["type"] for one in found} == {"report": "markdown", "experiment-progress": "progress"}
    report = next(one for one in found if one["key"] == "report")
    assert "data:image/png;base64," in report["data"]
    listed = run_block(server, "artifacts")
    assert listed.returncode == 0, listed.stdout
    assert "report" in listed.stdout


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"words": 0}, "less than the minimum of 1"),
        ({"mechanisms": ["rot13"]}, "'rot13' is not one of"),
        ({"wrods": 500}, "wrods"),
    ],
)
def test_a_wrong_parameter_is_refused_before_there_is_a_run(server, wrong, said):
    before = len(server.runs())
    done, run = started(server, wrong, "--watch")
    assert (done.returncode, run) == (1, None)
    assert said in done.stdout
    assert len(server.runs()) == before


def test_a_run_that_is_cancelled_stops(server, small, tmp_path):
    _, run = started(server, small | {"repeats": 500, "out": str(tmp_path)})
    until(lambda: server.curves(run), "the run is at work")
    done = run_block(server, "cancel", RUN=run)
    assert done.returncode == 0, done.stdout
    until(lambda: server.run(run)["state"]["type"] == "CANCELLED", "the run is cancelled")
    until(lambda: not processes_of(server.home, "prefect.engine"), "its process has ended")
    assert list(tmp_path.iterdir()) == []


def schedules(server, name):
    return server.ask("GET", f"/deployments/name/{name}")["schedules"]


def test_a_schedule_is_switched_on_and_off(server):
    (schedule,) = schedules(server, "release/weekly")
    assert not schedule["active"]
    for block, active in (("on", True), ("off", False)):
        done = run_block(server, block, SCHEDULE=schedule["id"])
        assert done.returncode == 0, done.stdout
        assert [one["active"] for one in schedules(server, "release/weekly")] == [active]


def test_a_deployment_of_ones_own_has_a_schedule_and_parameters(server):
    done = run_block(server, "own")
    assert done.returncode == 0, done.stdout
    (schedule,) = schedules(server, "experiment/nightly")
    assert schedule["active"]
    assert (schedule["schedule"]["cron"], schedule["schedule"]["timezone"]) == ("0 3 * * *", "UTC")
    found = server.ask("GET", "/deployments/name/experiment/nightly")
    assert found["parameters"] == {"embedding": "sample", "words": 2000, "benchmarks": ["wordsim353"]}
    server.ask("PATCH", f"/deployments/{found['id']}", paused=True)
