"""How many task runs the paper's whole experiment has: a server takes in some thirty in a second."""

import re

import pytest

from flows.experiment import experiment
from flows.parameters import forecast_of, settled
from tests.flows.conftest import subflows

MOST, MOST_OF_A_FLOW_RUN, SLACK = 600, 60, 20


def runs(message):
    return int(re.search(r"of (\d+) task runs", message).group(1))


@pytest.mark.usefixtures("offline")
def test_the_papers_whole_experiment_has_no_more_task_runs_than_a_server_and_a_person_can_follow(
    embedding, benchmarks, tmp_path
):
    """All epsilons and families of the preset, on few words and with one repeat: neither adds a task run.

    Three of the curves are run; the forecast counts the others like them.
    """
    given = {"preset": "paper", "embedding": str(embedding), "words": 300, "repeats": 1}
    some = given | {"mechanisms": ["nadp", "gaussian"], "taus": [0.1, 0.5]}
    state = experiment(**some, benchmarks_dir=str(benchmarks), out=str(tmp_path), return_state=True)
    assert state.is_completed()
    curves = {run.name: runs(run.state.message) for run in subflows(state)}
    assert len(curves) == 4
    noisy = [count for name, count in curves.items() if name != "no noise"]
    assert set(noisy) == {max(curves.values())}
    assert max(noisy) <= MOST_OF_A_FLOW_RUN
    submitted = runs(state.message)
    own = submitted - sum(curves.values()) + len(curves) + 1  # each curve is a task run of its parent; the report
    some_forecast, forecast = (forecast_of(settled(each)).task_runs for each in (some, given))
    assert own + sum(curves.values()) <= some_forecast <= own + sum(curves.values()) + SLACK
    assert forecast == some_forecast + 6 * (max(noisy) + 1)  # a curve is a task run of its parent
    assert own + 3 * 2 + 6 <= MOST_OF_A_FLOW_RUN  # three more graphs with their components, six more curves
    assert forecast <= MOST
