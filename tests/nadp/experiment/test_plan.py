import pytest

from nadp.experiment.plan import Plan, plan

SMALL = {"words": 10_000, "dimension": 50, "curves": 3, "epsilons": 5, "repeats": 3, "families": 2, "benchmarks": 4}


@pytest.mark.parametrize("what", SMALL)
def test_more_of_anything_never_costs_less(what):
    small, large = plan(**SMALL), plan(**SMALL | {what: 2 * SMALL[what]})
    assert large != small
    for cost in ("task_runs", "seconds", "memory", "disk"):
        assert getattr(large, cost) >= getattr(small, cost)


def test_the_papers_experiment_fits_into_what_was_promised():
    found = plan(words=73_404, dimension=300, curves=9, epsilons=50, repeats=5, families=4, benchmarks=8)
    assert found.task_runs <= 600
    assert found.memory < 6e9
    assert found.disk < 2e9


def test_a_plan_reads_as_a_sentence():
    assert str(Plan(30, 45.4, 1_500_000_000, 20_000_000)) == (
        "at most 30 task runs; roughly 45 seconds, 1.5 GB of memory, 0.02 GB of disk"
    )
    assert "roughly 3 minutes" in str(Plan(30, 180.0, 1, 1))
