import csv
import io
import re
import signal
import sys

import pytest
from threadpoolctl import threadpool_info

from flows import runners
from flows.parameters.checks import check_runner
from flows.runners import task_runner
from nadp.errors import InputError
from nadp.runtime.parallel import cores
from tasks.store.home import home as nadp_home
from tests.flows.conftest import manifest
from tests.flows.processes import PATIENCE, Cluster, cached, until
from tests.servers import closed_port


@pytest.fixture
def home(tmp_path):
    return str(tmp_path / "home")


@pytest.fixture
def cluster(tmp_path, home):
    """Two workers that share a folder with the run."""
    with Cluster(tmp_path, {"NADP_HOME": home}, {"NADP_HOME": home}) as running:
        yield running


def executed(dask_worker):
    return dask_worker.state.executed_count


def blas_threads():
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


@pytest.mark.servers
@pytest.mark.usefixtures("prefect_server")
def test_two_workers_share_the_work_and_give_the_scores_of_threads_bit_for_bit(
    experiments, threads, cluster, home, tmp_path
):
    out, dask = tmp_path / "out", ("--runner", "dask", "--scheduler", cluster.address)
    said, code = experiments.done(out, *dask, NADP_HOME=home)
    assert code == 0, said
    assert (out / "scores.csv").read_bytes() == threads
    assert all(count > 0 for count in cluster.client.run(executed).values())
    assert sum(cluster.client.run(executed).values()) >= 2 + 5 + 3 * 6  # draws, perturbations, evaluations
    limits = list(cluster.client.run(blas_threads).values())
    assert limits
    assert all(limits)
    assert {number for one in limits for number in one} == {1}
    said, code = experiments.done(tmp_path / "again", *dask, NADP_HOME=home)
    taken, everything = cached(said)
    assert (code, taken) == (0, everything - 1)  # the download task looks at the file each time
    assert (tmp_path / "again" / "scores.csv").read_bytes() == threads
    other = re.escape(f"has NADP_HOME {home}, not {nadp_home()} as the run has")
    with pytest.raises(InputError, match=rf"worker tcp://[\d.:]+ {other}"), task_runner("dask", cluster.address):
        pass


def killed(cluster, run, home):
    """Kill a worker that is at work while a lock is held, and return what the run said in the end."""

    def busy():
        held = list((home / "locks").glob("*.lock"))
        at_work = [address for address, keys in cluster.client.processing().items() if keys]
        return held and at_work and cluster.client.run(own_number, workers=at_work[:1])[at_work[0]]

    until(lambda: run.poll() is not None or any((home / "scores").rglob("*.json")), "the first scores")
    number = until(busy, "a worker at work")
    (victim,) = [worker for worker in cluster.workers if worker.pid == number]
    assert run.poll() is None
    victim.send_signal(signal.SIGKILL)
    victim.wait()
    said, _ = run.communicate(timeout=PATIENCE)
    return said


@pytest.mark.servers
@pytest.mark.usefixtures("prefect_server")
def test_a_worker_that_is_killed_in_the_middle_of_its_work_loses_nothing(experiments, threads, cluster, home, tmp_path):
    options = ("--runner", "dask", "--scheduler", cluster.address)
    with experiments.started(tmp_path / "out", *options, NADP_HOME=home) as run:
        said = killed(cluster, run, tmp_path / "home")
    assert run.returncode == 0, said
    assert (tmp_path / "out" / "scores.csv").read_bytes() == threads
    assert len(cluster.client.scheduler_info()["workers"]) == 1


@pytest.mark.servers
@pytest.mark.usefixtures("prefect_server")
def test_a_task_that_is_given_up_since_its_workers_died_is_named_and_leaves_the_others(
    experiments, threads, home, tmp_path
):
    never = {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0"}
    with (
        Cluster(tmp_path, {"NADP_HOME": home}, {"NADP_HOME": home}, **never) as cluster,
        experiments.started(
            tmp_path / "out", "--runner", "dask", "--scheduler", cluster.address, NADP_HOME=home
        ) as run,
    ):
        said = killed(cluster, run, tmp_path / "home")
    assert run.returncode == 1, said
    gaps = manifest(tmp_path / "out")["failed"]  # what waited at that worker is given up, too
    assert f"failed: {', '.join(gap['name'] for gap in gaps)}" in said
    assert gaps
    assert all("died" in gap["reason"] for gap in gaps)
    assert rows((tmp_path / "out" / "scores.csv").read_text()) < rows(threads.decode())


def rows(table):
    """The scores, without their floors: the task that computes these may be among those that were given up."""
    found = csv.DictReader(io.StringIO(table))
    return {tuple((name, value) for name, value in row.items() if name != "floor") for row in found}


def own_number():
    import os

    return os.getpid()


@pytest.mark.servers
@pytest.mark.usefixtures("prefect_server")
def test_a_cluster_of_this_machine_has_one_process_of_one_thread_for_each_core():
    from distributed import Client

    with task_runner("dask", None) as runner, Client(runner.address, set_as_default=False) as client:
        workers = client.scheduler_info(n_workers=-1)["workers"].values()
        assert [worker["nthreads"] for worker in workers] == [1] * cores()
        assert {number for one in client.run(blas_threads).values() for number in one} == {1}
        assert set(client.run(cores).values()) == {1}  # its share of the machine


def test_a_scheduler_that_does_not_answer_is_named(monkeypatch):
    monkeypatch.setattr(runners, "_ANSWER", "1s")
    address = closed_port().replace("http", "tcp")
    with pytest.raises(InputError, match=f"no Dask scheduler answers at {address}"), task_runner("dask", address):
        pass


def test_a_scheduler_is_refused_where_no_dask_is_asked_for():
    with pytest.raises(InputError, match=r"scheduler 'tcp://192\.0\.2\.1:8786' is of use only with the runner dask"):
        check_runner("threads", "tcp://192.0.2.1:8786")


def test_dask_without_its_packages_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "prefect_dask", None)
    with pytest.raises(InputError, match=r"pip install .nadp\[dask\]"):
        check_runner("dask", None)
    check_runner("threads", None)
