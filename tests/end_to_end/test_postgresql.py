"""The server keeps its history in PostgreSQL where that is configured."""

import pytest

from tests.end_to_end import postgres
from tests.end_to_end.experiments import all_recorded, started
from tests.end_to_end.page import run_block, settings
from tests.end_to_end.running import lacking, serve, work

pytestmark = pytest.mark.servers


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server on PostgreSQL with all deployments and a worker."""
    if reason := postgres.missing():
        lacking(reason)
    known = {name: getattr(postgres, name) for name in ("NAME", "PASSWORD", "HOST", "DATABASE")}
    with postgres.postgres() as port:
        ((name, url),) = settings("postgresql", **known).items()
        given = {name: url.replace(":5432/", f":{port}/")}
        with serve(tmp_path_factory.mktemp("postgresql"), **given) as running, work(running):
            done = run_block(running, "deploy")
            assert done.returncode == 0, done.stdout
            yield running


def test_the_history_is_in_postgresql(server):
    assert not list((server.home / "prefect").glob("prefect.db*"))


def test_a_run_and_its_report_are_read_back(server, small, tmp_path):
    done, run_id = started(server, small | {"out": str(tmp_path)}, "--watch")
    assert done.returncode == 0, done.stdout
    run = server.run(run_id)
    assert run["state"]["type"] == "COMPLETED"
    assert run["parameters"]["epsilons"] == small["epsilons"]
    assert all_recorded(server, run_id) == {"COMPLETED"}
    of_run = {"flow_run_id": {"any_": [run_id]}, "key": {"any_": ["report"]}}
    (report,) = server.ask("POST", "/artifacts/filter", artifacts=of_run)
    assert report["description"] == f"Report of {tmp_path}"
    assert (tmp_path / "report.html").is_file()


def test_a_wrong_parameter_is_refused(server):
    done, run = started(server, {"epsilons": [-1]}, "--watch")
    assert (done.returncode, run) == (1, None)
