import pytest

from nadp.experiment.cost import Cost, cost

SMALL = {"words": 10_000, "dimension": 50, "curves": 3, "epsilons": 5, "repeats": 3, "families": 2}


@pytest.mark.parametrize("more", SMALL)
def test_more_of_anything_never_costs_less(more):
    small, large = cost(**SMALL), cost(**SMALL | {more: 2 * SMALL[more]})
    assert large != small
    for what in ("seconds", "memory", "disk"):
        assert getattr(large, what) >= getattr(small, what)


def test_the_papers_experiment_fits_into_the_stated_limits():
    found = cost(words=73_404, dimension=300, curves=9, epsilons=50, repeats=5, families=4)
    assert found.memory < 6e9
    assert found.disk < 2e9


def test_a_cost_reads_as_a_sentence():
    assert str(Cost(45.4, 1_500_000_000, 20_000_000)) == ("roughly 45 seconds, 1.5 GB of memory, 0.02 GB of disk")
    assert "roughly 3 minutes" in str(Cost(180.0, 1, 1))
