"""Groups and noise on both axes: the figures are those of the scores."""

import re

import pytest

from nadp import Score
from nadp.experiment.curves import Curve
from nadp.experiment.means import Means
from nadp.experiment.metrics import DISCLOSURE, STRONGEST, TaskMetric
from nadp.report.two_kinds import side_by_side

MEN = TaskMetric("men", "spearman")


def scores(curve, settings):
    """Recovery, disclosure and utility at each setting of a curve."""
    place = (curve.mechanism, curve.tau, curve.isolated)
    return [
        Score(*metric, value, 9, 1.0).at(*place, setting, 0, curve.parameter)
        for setting, values in settings.items()
        for metric, value in zip((STRONGEST, DISCLOSURE, MEN), values, strict=True)
    ]


CLEAN = [Score(*MEN, 0.6, 9, 1.0, floor=0.1), Score(*DISCLOSURE, 1.0, 9, 1.0), Score(*STRONGEST, 1.0, 9, 1.0)]
GROUPS = scores(Curve("groups"), {2.0: (0.2, 0.7, 0.55), 8.0: (0.0, 0.3, 0.45)})
NOISE = scores(Curve("gaussian", 0.1, "nearest"), {1.0: (0.0, 0.1, 0.1), 9.0: (0.2, 0.3, 0.2), 20.0: (0.9, 0.7, 0.5)})


def numbers(text):
    return [float(number) for number in re.findall(r"\d+(?:\.\d+)?", text)]


def test_both_axes_are_reported_and_both_needs():
    at_recovery, at_disclosure, groups, noise = side_by_side(Means([*CLEAN, *GROUPS, *NOISE]), [MEN])
    # recovery .1 lies in the middle: utility .5 and .15 of .1 to .6, R^2 .5 and .2
    assert numbers(at_recovery.replace("\N{SUPERSCRIPT TWO}", "")) == [10, 80, 10, 0.5, 0.2]
    # R^2 .5 lies in the middle: utility .5 and .35
    assert numbers(at_disclosure.replace("\N{SUPERSCRIPT TWO}", "")) == [0.5, 80, 50]
    assert groups.startswith("Choose groups")
    assert noise.startswith("Choose noise")


@pytest.mark.parametrize("some", [GROUPS, NOISE, [s for s in (*GROUPS, *NOISE) if s.metric != DISCLOSURE.metric]])
def test_nothing_is_compared_where_a_kind_or_an_axis_is_missing(some):
    clean = [score for score in CLEAN if score.metric != DISCLOSURE.metric]
    assert side_by_side(Means([*clean, *some]), [MEN]) == []


def test_a_level_that_is_not_reached_is_not_reported():
    far = scores(Curve("gaussian", 0.1, "nearest"), {1.0: (0.5, 0.8, 0.3), 9.0: (0.9, 0.9, 0.4)})
    assert len(side_by_side(Means([*CLEAN, *GROUPS, *far]), [MEN])) == 2
