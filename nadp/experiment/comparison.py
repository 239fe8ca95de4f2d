"""Curves compared at equal recovery by the strongest attack: the fair way to compare mechanisms.

The nearest-word attack greatly understates the recovery of some mechanisms, so the order of two curves may depend on
the attack. The utility of a curve at a given recovery is interpolated between its settings. Utility is capped at the
utility without noise: a task whose score rises with the noise does not measure the vectors.

Each difference between two curves has an interval from a paired bootstrap: both curves are scored on the same resamples
of the items and of the repeats. The intervals are simultaneous: with probability 95 %, all of them hold (their width
comes from the largest standardised deviation). So many comparisons do not produce false findings.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nadp.experiment.curves import Curve
from nadp.experiment.metrics import STRONGEST, TaskMetric
from nadp.scores import Score, Words, in_order

LEVELS = (0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9)
CONFIDENCE = 0.95
Floats64 = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Difference:
    """Difference in utility between two curves at the same measured recovery.

    Attributes:
        task: the task that measures the utility.
        recovery: share of the words that the attack identifies.
        curve: the first curve.
        other: the second curve, whose utility is subtracted.
        value: the difference.
        low: lower end of its interval.
        high: upper end.
    """

    task: TaskMetric
    recovery: float
    curve: Curve
    other: Curve
    value: float
    low: float
    high: float

    @property
    def shown(self) -> int:
        """1 if the first curve is significantly better, -1 if the second is, 0 if the interval contains 0."""
        return int(self.low > 0) - int(self.high < 0)


@dataclass(frozen=True)
class Comparison:
    """Curves at equal recovery.

    Attributes:
        base: the curve that all others are compared with; None if there is none.
        attack: the attack whose recovery is equal in each comparison.
        differences: base minus each other curve, at each level that both reach.
        common: whether curves are scored only on the words that all of them release, because some leave words out.
    """

    base: Curve | None
    attack: TaskMetric
    differences: list[Difference]
    common: bool = False


def compared(
    scores: Sequence[Score],
    tasks: Sequence[TaskMetric],
    *,
    seed: int = 0,
    base: str = "nadp",
    attack: TaskMetric = STRONGEST,
) -> Comparison:
    """Return one curve against all others, at equal recovery.

    Args:
        scores: scores of all curves, including the scores of the attack, and of tasks with resamples.
        tasks: the tasks that measure the utility.
        seed: seed of the resamples of the repeats.
        base: the mechanism whose first curve is compared with the others; if it has no curve, the first of all curves
            is used.
        attack: the attack whose recovery is equal in each comparison.
    """
    scores = in_order(scores)
    recovery = _by_curve(scores, attack, _words(scores, attack))
    utility_at_levels: dict[TaskMetric, dict[Curve, Floats64]] = {}
    for task in tasks:
        words = _words(scores, task)
        utility = _by_curve(scores, task, words)
        measured_curves = [curve for curve in recovery if recovery[curve].keys() & utility.get(curve, {}).keys()]
        clean = [s.value for s in scores if (s.benchmark, s.metric, s.words) == (*task, words) and not s.noisy]
        cap = max(clean, default=np.inf)
        utility_at_levels[task] = {
            curve: _at_levels(utility[curve], recovery[curve], seed).clip(max=cap) for curve in measured_curves
        }
    curves = list(dict.fromkeys(curve for by_curve in utility_at_levels.values() for curve in by_curve))
    base_curve = next((curve for curve in curves if curve.mechanism == base), curves[0] if curves else None)
    common = any(score.words == "common" for score in scores)
    return Comparison(base_curve, attack, _differences(utility_at_levels, base_curve) if base_curve else [], common)


def _words(scores: Sequence[Score], task: TaskMetric) -> Words:
    """Return on which words curves are compared: those that every curve releases, if some leave words out, or all."""
    return "common" if _by_curve(scores, task, "common") else "released"


def _by_curve(scores: Sequence[Score], task: TaskMetric, words: Words) -> dict[Curve, dict[float, list[Score]]]:
    """Return the scores of a task by curve and by setting, one for each repeat."""
    scores_by_curve: dict[Curve, dict[float, list[Score]]] = defaultdict(lambda: defaultdict(list))
    for score in scores:
        if (score.benchmark, score.metric, score.words) == (*task, words) and score.setting is not None:
            scores_by_curve[Curve.at(score.mechanism, score.tau, score.isolated)][score.setting].append(score)
    return scores_by_curve


def _at_levels(utility: dict[float, list[Score]], recovery: dict[float, list[Score]], seed: int) -> Floats64:
    """Return the utility of one curve at the LEVELS, (levels, 1 + b): as measured, and for each resample."""
    settings = sorted(utility.keys() & recovery.keys())
    value = np.array([[score.value for score in utility[s]] for s in settings])  # (settings, repeats)
    attacked = np.array([[score.value for score in recovery[s]] for s in settings])
    resampled = np.array([[score.resampled for score in utility[s]] for s in settings])  # (settings, repeats, b)
    repeats, resamples = resampled.shape[1:]
    repeat_shares = np.random.default_rng(seed).multinomial(repeats, np.full(repeats, 1 / repeats), resamples) / repeats
    utilities = np.column_stack([value.mean(axis=1), np.einsum("srb,br->sb", resampled, repeat_shares)])
    return _interpolated(utilities, np.column_stack([attacked.mean(axis=1), attacked @ repeat_shares.T]))


def _interpolated(utility: Floats64, recovery: Floats64) -> Floats64:
    """Return utility at the LEVELS of recovery, both (settings, b); NaN beyond both ends.

    The settings are sorted by measured recovery; in a resample, the order may differ by chance.
    """
    order = np.argsort(recovery[:, 0], kind="stable")
    rising_recovery, utility = np.maximum.accumulate(recovery[order]), utility[order]
    last, columns = len(rising_recovery) - 1, np.arange(rising_recovery.shape[1])
    utility_at_levels = []
    for level in LEVELS:
        settings_up_to = (rising_recovery <= level).sum(axis=0)
        low, high = (settings_up_to - 1).clip(0), settings_up_to.clip(max=last)
        start, end = rising_recovery[low, columns], rising_recovery[high, columns]
        share = np.divide(level - start, end - start, out=np.zeros_like(start), where=end > start)
        utility_at_level = utility[low, columns] + share * (utility[high, columns] - utility[low, columns])
        utility_at_levels.append(
            np.where((level < rising_recovery[0]) | (level > rising_recovery[-1]), np.nan, utility_at_level)
        )
    return np.array(utility_at_levels)


def _differences(utility_at_levels: dict[TaskMetric, dict[Curve, Floats64]], base: Curve) -> list[Difference]:
    """Return the differences between the base and all others, with simultaneous intervals; none without resamples."""
    places = [
        (task, level, other, by_curve[base][i] - by_curve[other][i])
        for task, by_curve in utility_at_levels.items()
        if base in by_curve
        for other in by_curve
        if other != base
        for i, level in enumerate(LEVELS)
    ]
    places = [place for place in places if np.isfinite(place[3][0]) and len(place[3]) > 1]
    if not places:
        return []
    value = np.array([place[3][0] for place in places])
    error, factor = _errors([place[3] for place in places])
    return [
        Difference(task, level, base, other, float(v), float(v - factor * e), float(v + factor * e))
        for (task, level, other, _), v, e in zip(places, value, error, strict=True)
    ]


def _errors(differences: list[Floats64]) -> tuple[Floats64, float]:
    """Return the standard error of each difference, and the factor by which it makes a simultaneous interval."""
    table = np.array(differences)  # (places, 1 + b)
    deviations = np.nan_to_num(table[:, 1:] - table[:, :1], nan=0.0)
    error = np.sqrt((deviations**2).sum(axis=1) / np.isfinite(table[:, 1:]).sum(axis=1).clip(min=1))
    largest = np.divide(
        np.abs(deviations), error[:, None], out=np.zeros_like(deviations), where=error[:, None] > 0
    ).max(axis=0)
    return error, float(np.quantile(largest, CONFIDENCE))
