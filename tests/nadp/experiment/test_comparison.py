from dataclasses import replace

import numpy as np
import pytest

from nadp.experiment.comparison import compared
from nadp.experiment.curves import Curve
from nadp.experiment.metrics import NEAREST, STRONGEST, TaskMetric
from nadp.scores import Score

FIGURE = TaskMetric("pairs", "spearman")
EPSILONS = (1.0, 2.0, 5.0, 10.0)


NADP = ("nadp", 0.1, "nearest")
GAUSSIAN = ("gaussian", 0.1, "nearest")
MAHALANOBIS = ("mahalanobis", None, None)


def curve(of, useful, recovery, resampled=None, repeats=1, attack=STRONGEST):  # noqa: PLR0913, PLR0917
    """Return the scores of a curve from functions of epsilon (and of the resample's number)."""
    for repeat in range(repeats):
        for epsilon in EPSILONS:
            place = (*of, epsilon, repeat)
            over = () if resampled is None else tuple(resampled(epsilon, b) for b in range(200))
            yield Score(*FIGURE, useful(epsilon), 10, 1.0, resampled=over).at(*place)
            yield Score(*attack, recovery(epsilon), 10, 1.0).at(*place)


def test_differences_are_those_of_utility_interpolated_at_equal_recovery():
    scores = [
        *curve(NADP, lambda e: 3 * e, lambda e: e / 10, lambda e, _: 3 * e),
        *curve(GAUSSIAN, lambda e: e, lambda e: e / 40, lambda e, _: e),
    ]
    found = compared(scores, [FIGURE])
    assert found.base == Curve(*NADP)
    assert [d.recovery for d in found.differences] == [0.1, 0.25]
    np.testing.assert_allclose([d.value for d in found.differences], [-1.0, -2.5])
    assert {(d.task, d.curve, d.other) for d in found.differences} == {(FIGURE, Curve(*NADP), Curve(*GAUSSIAN))}
    assert all(d.low == pytest.approx(d.value) == d.high for d in found.differences)


def test_utility_is_capped_at_the_score_without_noise_on_the_compared_words():
    noisy = [
        *curve(NADP, lambda _: 0.75, lambda e: e / 10, lambda *_: 0.75),
        *curve(GAUSSIAN, lambda _: 0.5, lambda e: e / 10, lambda *_: 0.5),
    ]
    scores = [
        *(replace(score, words=words) for words in ("released", "common") for score in noisy),
        Score(*FIGURE, 0.8, 10, 1.0, words="released"),
        Score(*FIGURE, 0.6, 10, 1.0, words="common"),
    ]
    assert {round(d.value, 9) for d in compared(scores, [FIGURE]).differences} == {0.1}


def test_a_comparison_is_paired():
    """Two curves that share a large common error over the items differ by a small one."""
    rng = np.random.default_rng(0)
    common, own = rng.normal(size=200), 0.01 * rng.normal(size=200)
    scores = [
        *curve(NADP, lambda _: 1.1, lambda e: e / 10, lambda _, b: 1.1 + common[b]),
        *curve(MAHALANOBIS, lambda _: 1.0, lambda e: e / 10, lambda _, b: 1.0 + common[b] + own[b]),
    ]
    for found in compared(scores, [FIGURE]).differences:
        assert found.value == pytest.approx(0.1)
        assert found.high - found.low < 0.1
        assert found.shown == 1


def test_all_intervals_together_hold_at_the_stated_rate():
    """Curves that are equal but for chance are declared different in 5 % of the experiments, whichever figure it is."""
    rng = np.random.default_rng(1)
    figures = [TaskMetric(f"set {i}", "accuracy") for i in range(8)]
    told = 0
    experiments = 300
    for _ in range(experiments):
        scores = []
        for name in ("nadp", "mahalanobis"):
            items = rng.random((len(figures), 400)) < 0.6
            counts = rng.multinomial(400, np.full(400, 1 / 400), 200)
            for figure, right in zip(figures, items, strict=True):
                over = tuple(counts @ right / 400)
                for epsilon in (1.0, 10.0):
                    place = (name, None, None, epsilon, 0)
                    scores.append(Score(*figure, right.mean(), 400, 1.0, resampled=over).at(*place))
        scores += [
            Score(*STRONGEST, epsilon / 10, 9, 1.0).at(name, None, None, epsilon, 0)
            for name in ("nadp", "mahalanobis")
            for epsilon in (1.0, 10.0)
        ]
        told += any(d.shown for d in compared(scores, figures).differences)
    assert 0.02 < told / experiments < 0.10


def test_the_spread_of_the_repeats_widens_the_intervals():
    def widths(spread):
        values = spread * np.random.default_rng(2).normal(size=(2, 5))
        scores = []
        for of, each in zip((NADP, MAHALANOBIS), values, strict=True):
            for repeat, value in enumerate(each):
                once = curve(of, lambda _, v=value: v, lambda e: e / 10, lambda _, __, v=value: v)
                scores += [s.at(*of, s.epsilon, repeat) for s in once]
        return [d.high - d.low for d in compared(scores, [FIGURE]).differences]

    assert max(widths(0.0)) == 0
    assert min(widths(1.0)) > 0.5


@pytest.mark.parametrize("scores", [[], list(curve(NADP, lambda e: e, lambda e: e / 10))])
def test_without_two_curves_nothing_is_compared(scores):
    assert compared(scores, [FIGURE]).differences == []


def test_curves_without_resamples_have_no_differences():
    scores = [
        *curve(NADP, lambda e: e, lambda e: e / 10),
        *curve(MAHALANOBIS, lambda e: e, lambda e: e / 10),
    ]
    found = compared(scores, [FIGURE])
    assert (found.base, found.differences) == (Curve(*NADP), [])


def test_the_order_of_the_scores_plays_no_part():
    rng = np.random.default_rng(3)
    scores = [
        *curve(NADP, lambda e: e, lambda e: e / 10, lambda e, _: e + rng.normal(), repeats=3),
        *curve(MAHALANOBIS, lambda e: e, lambda e: e / 12, lambda e, _: e + rng.normal(), repeats=3),
    ]
    assert compared(scores[::-1], [FIGURE]).differences == compared(scores, [FIGURE]).differences


def line(of, slope, per_epsilon, attack=STRONGEST):
    """A curve whose utility and recovery grow with epsilon."""
    return curve(of, lambda e: slope * e, lambda e: e * per_epsilon, lambda e, _: slope * e, attack=attack)


def test_the_order_of_two_curves_may_depend_on_the_attack():
    """Equally many nearest words are found, but one mechanism gives more away to who knows its noise."""
    scores = [
        *line(NADP, 1.0, 0.05),
        *line(MAHALANOBIS, 1.2, 0.1),
        *(s for of in (NADP, MAHALANOBIS) for s in line(of, 1.0, 0.05, NEAREST) if s.metric == NEAREST.metric),
    ]
    signs = {
        attack: {d.shown for d in compared(scores, [FIGURE], attack=attack).differences}
        for attack in (STRONGEST, NEAREST)
    }
    assert signs == {STRONGEST: {1}, NEAREST: {-1}}


def test_what_noise_alone_adds_to_a_score_is_no_gain():
    noisy = [
        *curve(NADP, lambda e: 12 - e, lambda e: e / 10, lambda e, _: 12 - e),
        *curve(MAHALANOBIS, lambda _: 2.0, lambda e: e / 10, lambda _, __: 2.0),
    ]
    assert all(d.shown == 1 for d in compared(noisy, [FIGURE]).differences[:3])
    found = compared([Score(*FIGURE, 2.0, 10, 1.0, floor=9.0), *noisy], [FIGURE]).differences
    assert {d.value for d in found} == {0.0}
    assert {d.shown for d in found} == {0}


def test_curves_over_other_parameters_are_compared_as_well():
    """A mechanism whose parameter falls where epsilon rises."""
    other = [s.at("gaussian", None, None, 1 / s.setting, 0, "min_size") for s in line(NADP, 1.0, 0.1)]
    found = compared([*line(NADP, 1.0, 0.1), *other], [FIGURE])
    assert {d.value for d in found.differences} == {0.0}
    assert len(found.differences) >= 4


def test_another_mechanism_may_be_the_base():
    found = compared([*line(NADP, 1.0, 0.1), *line(MAHALANOBIS, 2.0, 0.1)], [FIGURE], base="mahalanobis")
    assert (found.base, found.attack) == (Curve(*MAHALANOBIS), STRONGEST)
    at = {d.recovery: d.value for d in found.differences}
    assert (at[0.1], at[0.25], at[0.5]) == pytest.approx((1.0, 2.5, 5.0))
