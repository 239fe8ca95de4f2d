"""The answer at the top of a report: the utility left on each task at equal recovery, with its caveats."""

import math
from collections.abc import Sequence

from nadp.calibration import distinguishing_accuracy, mu_of, noise_multiplier
from nadp.experiment.choosing import TaskResult
from nadp.experiment.comparison import Comparison, Difference
from nadp.experiment.curves import Curve, Recipe
from nadp.experiment.manifest import Manifest
from nadp.experiment.means import Means
from nadp.experiment.metrics import STRONGEST
from nadp.report.figures import Styles, noisy
from nadp.report.labels import in_sentence
from nadp.report.texts import listed, percent, several

LEVELS = (0.01, 0.1, 0.5)
"""The levels of recovery at which the report states utility."""
MAIN_LEVEL = 0.1
WEAK = 10.0
"""Above this epsilon a guarantee gives almost no protection."""


def lead(results: Sequence[TaskResult]) -> str:
    """Return the answer: the utility of each task at the main level of recovery, or why there is none."""
    shares = {result: list(shares_kept(result, MAIN_LEVEL).values()) for result in results}
    answers = [
        f"{as_range(kept_shares)} of {in_sentence(result.task)}"
        for result, kept_shares in shares.items()
        if kept_shares
    ]
    unanswered = _without_answer([result for result, kept_shares in shares.items() if not kept_shares])
    if not answers:
        return (
            f"This run has no answer for a recovery of {percent(MAIN_LEVEL)}: {unanswered or 'no task was evaluated'}."
        )
    sentences = [
        f"If an attacker may identify {percent(MAIN_LEVEL)} of the words, the mechanisms retain {listed(answers)}."
    ]
    if all(math.isfinite(result.floor) for result, kept_shares in shares.items() if kept_shares):
        sentences.append("0 % is the score of random vectors, and 100 % is the score of the vectors without noise.")
    return " ".join([*sentences, *([f"Other tasks have no answer: {unanswered}."] if unanswered else [])])


def _without_answer(results: Sequence[TaskResult]) -> str:
    """Return why some tasks have no share at the main level: no curve reaches it, or the vectors do not matter."""
    reaches_level = {r: any(left.reaches(MAIN_LEVEL) for left in r.kept(MAIN_LEVEL).values()) for r in results}
    reasons = {
        "no mechanism reaches it": [r for r in results if not reaches_level[r]],
        "the vectors are hardly better than random ones": [r for r in results if reaches_level[r]],
    }
    return "; ".join(
        f"for {listed([in_sentence(r.task) for r in unanswered])}, {reason}"
        for reason, unanswered in reasons.items()
        if unanswered
    )


def shares_kept(result: TaskResult, level: float) -> dict[Curve, float]:
    """Return the share of a task's score above the floor that each curve keeps at a level.

    Curves that do not reach the level are left out. The result is empty if the score without noise is too close to
    the floor.
    """
    left_by_curve = {curve: left for curve, left in result.kept(level).items() if left.reaches(level)}
    floor = result.floor if math.isfinite(result.floor) else 0.0
    score_range = result.clean - floor
    if not left_by_curve or not score_range > 2 * max(left.error for left in left_by_curve.values()):
        return {}
    return {curve: max(0.0, (left.utility - floor) / score_range) for curve, left in left_by_curve.items()}


def as_range(shares: Sequence[float]) -> str:
    """Return the least and the largest of some shares, in per cent."""
    low, high = round(100 * min(shares)), round(100 * max(shares))
    return f"{high if low == high else f'{low} to {high}'} %"


def verdict(comparison: Comparison, styles: Styles) -> str:
    """Return where the base of the comparison differs significantly from the others."""
    differences = comparison.differences
    if not differences or comparison.base is None:
        return ""
    ahead, behind = ([d for d in differences if d.shown == sign] for sign in (1, -1))
    where = [
        f"{word} in {len(group)} ({_against(group, styles)})"
        for word, group in (("ahead", ahead), ("behind", behind))
        if group
    ]
    indistinct = len(differences) - len(ahead) - len(behind)
    where += [f"not distinguishable in {indistinct if where else 'any'}"] if indistinct else []
    base = styles[comparison.base].short
    return f"Of {several(len(differences), 'comparison')} with the others at equal recovery, {base} is {listed(where)}."


def _against(differences: Sequence[Difference], styles: Styles) -> str:
    tasks = dict.fromkeys(d.task for d in differences)
    return "; ".join(
        f"{in_sentence(task)} against "
        + listed(list(dict.fromkeys(styles[d.other].short for d in differences if d.task == task)))
        for task in tasks
    )


def above_clean(results: Sequence[TaskResult]) -> list[str]:
    """Return the tasks that score significantly better with noise than without."""
    return [
        in_sentence(result.task)
        for result in results
        if any((points[:, 2] - 2 * points[:, 3] > result.clean).any() for points in result.points.values())
    ]


def without_noise(manifest: Manifest, styles: Styles) -> list[tuple[str, float]]:
    """Return the curves that release words unchanged, and the share of such words."""
    worst: dict[Curve, float] = {}
    for recipe in manifest.recipes:
        if recipe.curve.noisy and recipe.without_noise > 0:
            worst[recipe.curve] = max(worst.get(recipe.curve, 0.0), recipe.without_noise)
    return [(styles[curve].short, share) for curve, share in worst.items()]


def strongest(means: Means, styles: Styles) -> dict[Curve, tuple[float, float]]:
    """Return the least and the largest recovery of each curve by the strongest attack."""
    points_by_curve = noisy(means, STRONGEST, styles)
    return {curve: (float(points[:, 1].min()), float(points[:, 1].max())) for curve, points in points_by_curve}


def warnings(manifest: Manifest, styles: Styles) -> list[str]:
    """Return a sentence about each weak or missed guarantee of a run, and the warnings of its mechanisms."""
    mechanism_warnings = [curve.made.warning for curve in styles if curve.made.warning]
    return [
        warning
        for warning in [_weak(manifest), *_missed(manifest, styles), *dict.fromkeys(mechanism_warnings)]
        if warning
    ]


def _weak(manifest: Manifest) -> str:
    largest = max(manifest.epsilons, default=0.0)
    if largest <= WEAK:
        return ""
    low, high = (distinguishing_accuracy(mu_of(noise_multiplier(e, manifest.delta))) for e in (WEAK, largest))
    return (
        f"An epsilon above {WEAK:g} gives almost no protection: the optimal distinguishing accuracy between two "
        f"neighbouring words is {percent(low, 1)} at epsilon {WEAK:g} and {percent(high, 1)} at {largest:g}."
    )


def _missed(manifest: Manifest, styles: Styles) -> list[str]:
    """Return, for each curve whose noise falls short of its delta, the worst true delta."""
    worst: dict[Curve, Recipe] = {}
    for recipe in manifest.recipes:
        if recipe.delta_reached > recipe.delta * (1 + 1e-9):
            worst_so_far = worst.get(recipe.curve, recipe)
            worst[recipe.curve] = max(worst_so_far, recipe, key=lambda r: r.delta_reached)
    return [
        f"{styles[curve].short} misses its delta: at epsilon {r.epsilon:g} the true delta is {r.delta_reached:.3g}, "
        f"not {r.delta:.3g}."
        for curve, r in worst.items()
    ]
