"""What is left of a run when a process is killed in the middle of it, and what the next run makes of it."""

from contextlib import contextmanager

import httpx
import pytest

from tests.end_to_end.experiments import (
    all_recorded,
    command,
    counted,
    finished,
    of_its_own,
    run_again,
    started,
    temporary,
)
from tests.end_to_end.page import run_block, settings
from tests.end_to_end.running import PATIENCE, kill, process, processes_of, serve, until, work

pytestmark = pytest.mark.servers


@pytest.fixture(scope="module")
def undisturbed(server, small, tmp_path_factory):
    """The scores of the run when nothing happens to it, and the number of its results."""
    home = tmp_path_factory.mktemp("undisturbed")
    run_again(server, small, home)
    assert temporary(home / "nadp", home / "out") == []
    return (home / "out" / "scores.csv").read_bytes(), finished(home)


@pytest.fixture(scope="module")
def interrupted(undisturbed):
    """Waits until a run is in the middle, and returns how many results it has."""

    def wait(home):
        return until(lambda: (found := finished(home)) >= undisturbed[1] // 3 and found, "a third of the tasks is done")

    return wait


@pytest.fixture(scope="module")
def whole(undisturbed):
    """Checks that a run ended as if nothing had happened, with what was done before taken from the cache."""

    def check(home, message, done):
        cached, everything = counted(message)
        assert done <= cached < everything - 1, "the run was not killed in the middle"
        assert (home / "out" / "scores.csv").read_bytes() == undisturbed[0]
        assert temporary(home / "nadp", home / "out") == []

    return check


@pytest.fixture(scope="module")
def lost(server, small, interrupted, tmp_path_factory):
    """A run whose worker and process were killed, its folder, and how many results it had."""
    done = run_block(server, "zombies")
    assert done.returncode == 0, done.stdout
    home = tmp_path_factory.mktemp("lost")
    with work(server, NADP_HOME=str(home / "nadp")) as worker:
        _, run = started(server, small | {"out": str(home / "out")})
        done = interrupted(home)
        kill(worker.pid, *processes_of(server.home, "prefect.engine"))
    return run, home, done


@pytest.mark.parametrize("victim", ["worker", "process"])
def test_a_run_whose_worker_or_process_is_killed_is_crashed_at_once(server, small, interrupted, tmp_path, victim):
    with work(server, NADP_HOME=str(tmp_path / "nadp")) as worker:
        _, run = started(server, small | {"out": str(tmp_path / "out")})
        interrupted(tmp_path)
        kill(*{"worker": [worker.pid], "process": processes_of(server.home, "prefect.engine")}[victim])
        until(lambda: server.run(run)["state"]["type"] == "CRASHED", "the run is crashed")
        until(lambda: not processes_of(server.home, "prefect.engine"), "no process is left of it")
    assert "No sign of life" not in server.run(run)["state"]["message"]
    assert not (tmp_path / "out" / "scores.csv").exists()


@contextmanager
def twins(server, parameters, home):
    """Two identical runs at once, in one cache."""
    words = [command(parameters | {"out": str(home / out)}) for out in ("one", "other")]
    env = of_its_own(server, home)
    with process(words[0], env, home / "one.log") as one, process(words[1], env, home / "other.log") as other:
        yield one, other


def test_two_identical_runs_at_once_compute_each_result_once(server, small, undisturbed, tmp_path):
    with twins(server, small, tmp_path) as (one, other):
        assert (one.wait(PATIENCE), other.wait(PATIENCE)) == (0, 0)
    logs = [(tmp_path / f"{name}.log").read_text() for name in ("one", "other")]
    (cached, everything), (others, _) = map(counted, logs)
    assert 2 * everything - cached - others == undisturbed[1] + 2  # the look at the embedding's file is never cached
    assert finished(tmp_path) == undisturbed[1]
    for name in ("one", "other"):
        assert (tmp_path / name / "scores.csv").read_bytes() == undisturbed[0]
    assert temporary(*(tmp_path / name for name in ("nadp", "one", "other"))) == []


def test_a_run_outlives_its_server_and_all_of_it_is_recorded(small, interrupted, undisturbed, tmp_path):
    secret = settings("password", NAME="somebody", PASSWORD="a-word")  # noqa: S106 - of a server that lives for a minute
    words = command(small | {"out": str(tmp_path / "out")})
    with serve(tmp_path / "first", **secret) as server:
        assert httpx.post(server.url + "/flows/filter", json={}, trust_env=False).status_code == 401
        with process(words, of_its_own(server, tmp_path), tmp_path / "run.log") as running:
            interrupted(tmp_path)
            kill(server.process.pid)
            server.process.wait()
            assert not (tmp_path / "out" / "scores.csv").exists()
            with serve(server.home, server.port, **secret) as again:
                assert running.wait(PATIENCE) == 0, (tmp_path / "run.log").read_text()[-5000:]
                (run,) = until(
                    lambda: again.runs(state={"type": {"any_": ["COMPLETED"]}}, name={"any_": ["experiment demo"]}),
                    "recorded",
                )
                assert all_recorded(again, run["id"]) == {"COMPLETED"}
    assert (tmp_path / "out" / "scores.csv").read_bytes() == undisturbed[0]


def test_a_run_that_died_with_its_worker_is_continued_by_another_and_crashed_and_retried(
    server, lost, small, whole, undisturbed
):
    run, home, done = lost
    assert not (home / "out" / "scores.csv").exists()
    whole(home, run_again(server, small, home), done)
    until(lambda: server.run(run)["state"]["type"] == "CRASHED", "the run is crashed")
    assert "No sign of life" in server.run(run)["state"]["message"]
    ended = {"COMPLETED", "CRASHED"}
    until(lambda: {curve["state"]["type"] for curve in server.curves(run)} <= ended, "its curves are crashed, too")
    with work(server, NADP_HOME=str(home / "nadp")):
        retried = run_block(server, "again", RUN=run)
        assert retried.returncode == 0, retried.stdout
        state = until(lambda: (at := server.run(run)["state"])["type"] == "COMPLETED" and at, "the end of the run")
    cached, everything = counted(state["message"])
    assert cached == everything - 1
    assert (home / "out" / "scores.csv").read_bytes() == undisturbed[0]
