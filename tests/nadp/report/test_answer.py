"""The first answer: its numbers are those of the scores."""

import re

import pytest

from nadp import Score
from nadp.experiment.choosing import task_result
from nadp.experiment.comparison import Comparison, Difference
from nadp.experiment.curves import Curve
from nadp.experiment.means import Means
from nadp.experiment.metrics import STRONGEST, TaskMetric
from nadp.report.answer import above_clean, lead, strongest, verdict
from nadp.report.styles import styles

MR, MEN = TaskMetric("mr", "accuracy"), TaskMetric("men", "spearman")
CURVES = [Curve("nadp", 0.1, "nearest"), Curve("mahalanobis")]
LOOKS = styles(CURVES)


def means(kept, *, clean=0.8, floor=0.6, task=MR, recovery=(0.0, 0.2), error=0.001):  # noqa: PLR0913
    """Two settings of each curve, between which recovery 10 % lies in the middle, as what is kept there does."""
    scores = [Score(*task, clean, 9, 1.0, floor=floor)]
    for curve, utility in zip(CURVES, kept, strict=False):
        for epsilon, share, useful in zip((1.0, 10.0), recovery, (utility - 0.01, utility + 0.01), strict=True):
            place = (curve.mechanism, curve.tau, curve.isolated, epsilon, 0)
            scores += [
                Score(*task, useful, 9, 1.0, item_error=error).at(*place),
                Score(*STRONGEST, share, 9, 1.0).at(*place),
            ]
    return Means(scores)


def numbers(text):
    return [int(number) for number in re.findall(r"\d+", text.split(".")[0])]


@pytest.mark.parametrize(
    ("task", "kept", "expected"),
    [
        (MR, (0.65, 0.7), [10, 25, 50]),
        (MR, (0.7, 0.7), [10, 50]),
        (MEN, (0.5, 0.7), [10, 0, 50]),  # less than random vectors is nothing
        (MR, (0.7,), [10, 50]),
    ],
)
def test_what_is_kept_is_a_share_of_what_there_is_above_guessing(task, kept, expected):
    assert numbers(lead([task_result(means(kept, task=task), task)])) == expected


@pytest.mark.parametrize(
    "changes",
    [
        {"recovery": (0.2, 0.5)},  # no curve comes down to a tenth
        {"recovery": (0.0, 0.05)},  # none comes up to it
        {"clean": 0.6},  # the vectors are no better than random ones
        {"clean": 0.61, "error": 0.02},  # or hardly
    ],
)
def test_a_share_that_says_nothing_is_not_told(changes):
    made = means(**{"kept": (0.65, 0.7)} | changes)
    assert numbers(lead([task_result(made, MR)])) == [10]
    assert "MR" in lead([task_result(made, MR)])


def test_a_task_without_a_share_is_named_beside_those_that_have_one():
    own = TaskMetric("tickets", "accuracy")
    silent, answered = task_result(means((0.65, 0.7), task=own, clean=0.6), own), task_result(means((0.65, 0.7)), MR)
    assert numbers(lead([silent, answered])) == [10, 25, 50]
    assert "tickets" in lead([silent, answered]).split(".", 1)[1]
    assert "tickets" not in lead([answered])


def test_tasks_that_gain_by_noise_are_found():
    assert above_clean([task_result(means((0.9, 0.7)), MR)]) == ["MR"]
    assert numbers(lead([task_result(means((0.9, 0.7)), MR)])) == [10, 50, 100]  # and the gain does not count
    assert above_clean([task_result(means((0.7, 0.7)), MR)]) == []


def test_the_strongest_attack_is_reported_from_the_safest_setting_to_the_weakest():
    scores = [
        Score(*STRONGEST, value, 9, 1.0).at("nadp", 0.1, "nearest", setting, 0)
        for setting, value in ((1.0, 0.2), (5.0, 0.1), (10.0, 0.6))
    ]
    assert strongest(Means(scores), LOOKS) == {CURVES[0]: (0.1, 0.6)}


def test_the_verdict_counts_what_is_beyond_chance():
    def difference(low, high):
        return Difference(MR, 0.1, *CURVES, (low + high) / 2, low, high)

    differences = [difference(0.1, 0.2), difference(-0.2, -0.1), difference(-0.1, 0.1), difference(-0.1, 0.2)]
    assert numbers(verdict(Comparison(CURVES[0], STRONGEST, differences), LOOKS)) == [4, 1, 1, 2]
    assert verdict(Comparison(None, STRONGEST, []), LOOKS) == ""
