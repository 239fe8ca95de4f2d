"""How many task runs the paper's whole experiment has: a server takes in some thirty in a second."""

import re

import pytest

from flows.experiment import experiment
from flows.parameters.experiment import forecast_of, settled
from tests.flows.conftest import subflows

pytestmark = [pytest.mark.servers, pytest.mark.usefixtures("prefect_server")]

MOST, MOST_OF_A_FLOW_RUN = 600, 60


def runs(message):
    return int(re.search(r"of (\d+) task runs", message).group(1))


@pytest.mark.usefixtures("offline")
def test_the_papers_whole_experiment_has_no_more_task_runs_than_a_server_and_a_person_can_follow(
    embedding, benchmarks, tmp_path
):
    """All curves, epsilons and families of the preset, on few words and with one repeat: neither adds a task run."""
    given = {"preset": "paper", "embedding": str(embedding), "words": 300, "repeats": 1}
    state = experiment(**given, benchmarks_dir=str(benchmarks), out=str(tmp_path), return_state=True)
    assert state.is_completed()
    curves = {run.name: runs(run.state.message) for run in subflows(state)}
    assert len(curves) == 10
    assert max(curves.values()) <= MOST_OF_A_FLOW_RUN
    submitted = runs(state.message)
    own = submitted - sum(curves.values()) + len(curves) + 1  # each curve is a task run of its parent; the report
    assert own <= MOST_OF_A_FLOW_RUN
    assert own + sum(curves.values()) <= forecast_of(settled(given)).task_runs <= MOST
