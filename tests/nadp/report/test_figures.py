"""The panels of figures hold what the table of scores holds."""

import numpy as np
import pytest

from nadp import EmbeddingSpace, Score
from nadp.attacks.overlap_sweep import OverlapAt
from nadp.experiment.choosing import task_result
from nadp.experiment.comparison import Comparison, Difference
from nadp.experiment.curves import Curve
from nadp.experiment.facts import graph_facts
from nadp.experiment.means import Means
from nadp.experiment.metrics import DISCLOSURE, SKEWNESS, STRONGEST, UTILITY
from nadp.report import figures
from nadp.report.styles import styles

POOLED = UTILITY[0]


@pytest.fixture(scope="module")
def means(experiment):
    return Means(experiment.scores)


@pytest.fixture(scope="module")
def looks(experiment):
    return styles(experiment.manifest.noisy)


def points(panel):
    return {line.style.key: np.array([(mark.x, mark.y) for mark in line.marks]) for line in panel.lines}


def values(experiment, metric, curve):
    place = (*metric, curve.mechanism)
    found = {}
    for score in experiment.scores:
        if (score.benchmark, score.metric, score.mechanism) == place:
            found.setdefault(score.epsilon, []).append(score.value)
    return {epsilon: float(np.mean(each)) for epsilon, each in found.items()}


def test_every_curve_is_drawn_with_the_means_of_its_scores(means, looks, experiment):
    result = task_result(means, POOLED)
    against_setting = points(figures.setting_panel(result, looks))
    against_recovery = points(figures.axis_panel(result, figures.recovery(), looks))
    assert set(against_setting) == set(against_recovery) == {style.key for style in looks.values()}
    for curve, style in looks.items():
        useful, attacked = values(experiment, POOLED, curve), values(experiment, STRONGEST, curve)
        np.testing.assert_allclose(against_setting[style.key], sorted(useful.items()))
        both = sorted((attacked[epsilon], useful[epsilon]) for epsilon in useful)
        np.testing.assert_allclose(against_recovery[style.key], both)


def test_the_vectors_without_noise_are_a_rule_across(means, looks, experiment):
    panel = figures.setting_panel(task_result(means, POOLED), looks)
    (clean,) = values(experiment, POOLED, Curve("none")).values()
    floor = next(s.floor for s in experiment.scores if (s.benchmark, s.metric) == POOLED and not s.noisy)
    assert [value for value, _ in panel.rules] == pytest.approx([clean, floor])
    assert panel.y.low < clean < panel.y.high


def test_what_is_kept_lies_in_the_room_of_its_level(looks):
    first, *others = looks
    scores = []
    for curve in (first, *others):
        for epsilon in (1.0, 10.0):
            place = (curve.mechanism, curve.tau, curve.isolated, epsilon, 0)
            scores += [
                Score(*POOLED, epsilon / 10, 9, 1.0).at(*place),
                Score(*STRONGEST, epsilon / 10, 9, 1.0).at(*place),
            ]
    panel = figures.kept_panel(task_result(Means(scores), POOLED), (0.2, 0.5), looks)
    for marks in points(panel).values():
        assert marks[:, 0].astype(int).tolist() == [0, 1]
        assert marks[:, 1] == pytest.approx([0.2, 0.5])
    places = [marks[0, 0] for marks in points(panel).values()]
    assert places == sorted(set(places))


def test_errors_reach_as_far_as_the_interval(looks):
    curve = next(iter(looks))
    place = (curve.mechanism, curve.tau, curve.isolated, 1.0)
    scores = [Score(*POOLED, value, 9, 1.0, item_error=0.03).at(*place, i) for i, value in enumerate((0.4, 0.6))]
    scores += [Score(*STRONGEST, 0.5, 9, 1.0).at(*place, i) for i in (0, 1)]
    (line,) = figures.setting_panel(task_result(Means(scores), POOLED), looks).lines
    assert line.marks[0].y_error == pytest.approx(1.96 * np.hypot(0.1, 0.03))


def test_recovery_is_a_share_and_skewness_has_an_axis_of_its_own(means, looks):
    share = figures.privacy_panel(means, STRONGEST, "r", looks, share=True)
    assert (share.y.low, share.y.high) == (0.0, 1.0)
    skew = figures.privacy_panel(means, SKEWNESS, "s", looks, share=False)
    ends = [mark.y for line in skew.lines for mark in line.marks]
    assert skew.y.low < min(ends) < max(ends) < skew.y.high


def test_differences_stand_above_their_level_with_simultaneous_intervals(looks):
    base, other, *_ = looks
    found = [Difference(POOLED, level, base, other, 0.1, 0.05, 0.15) for level in (0.1, 0.5)]
    (line,) = figures.difference_panel(Comparison(base, STRONGEST, found), POOLED, looks).lines
    assert [int(mark.x) for mark in line.marks] == [2, 4]
    assert [mark.y for mark in line.marks] == pytest.approx([0.1] * 2)
    assert [mark.y_error for mark in line.marks] == pytest.approx([0.05] * 2)


@pytest.mark.parametrize("isolated", ["exact", "nearest"])
def test_the_sizes_of_components_add_up_to_all_vectors(tied, isolated):
    space = EmbeddingSpace.build(tied, tau=0.4, isolated=isolated)
    panel = figures.sizes_panel(graph_facts(space))
    assert sum(panel.bars) == len(space.embeddings.points)
    assert (panel.bars[0] > 0) == (isolated == "exact")


def test_a_histogram_has_a_bar_for_each_count():
    panel = figures.histogram_panel(OverlapAt(0.5, (3, 0, 9), 1.5, 0.25))
    assert list(panel.bars) == [3, 0, 9]
    assert "25 %" in panel.unit


def test_disclosure_has_an_axis_as_soon_as_it_is_measured(means):
    assert means.present([DISCLOSURE]) == []
    axis = figures.disclosure()
    assert (axis.at(0.0), axis.at(1.0)) == (0.0, 1.0)
