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
    found = [f"{as_range(some)} of {in_sentence(result.task)}" for result, some in shares.items() if some]
    silent = _silent([result for result, some in shares.items() if not some])
    if not found:
        return f"This run has no answer for a recovery of {percent(MAIN_LEVEL)}: {silent or 'no task was evaluated'}."
    said = [f"If an attacker may identify {percent(MAIN_LEVEL)} of the words, the mechanisms retain {listed(found)}."]
    if all(math.isfinite(result.floor) for result, some in shares.items() if some):
        said.append("0 % is the score of random vectors, and 100 % is the score of the vectors without noise.")
    return " ".join([*said, *([f"Other tasks have no answer: {silent}."] if silent else [])])


def _silent(results: Sequence[TaskResult]) -> str:
    """Return why some tasks have no share at the main level: no curve reaches it, or the vectors do not matter."""
    reached = {r: any(one.reaches(MAIN_LEVEL) for one in r.kept(MAIN_LEVEL).values()) for r in results}
    reasons = {
        "no mechanism reaches it": [r for r in results if not reached[r]],
        "the vectors are hardly better than random ones": [r for r in results if reached[r]],
    }
    return "; ".join(
        f"for {listed([in_sentence(r.task) for r in some])}, {reason}" for reason, some in reasons.items() if some
    )


def shares_kept(result: TaskResult, level: float) -> dict[Curve, float]:
    """Return the share of a task's score above the floor that each curve keeps at a level.

    Curves that do not reach the level are left out. The result is empty if the score without noise is too close to
    the floor.
    """
    kept = {curve: one for curve, one in result.kept(level).items() if one.reaches(level)}
    floor = result.floor if math.isfinite(result.floor) else 0.0
    room = result.clean - floor
    if not kept or not room > 2 * max(one.error for one in kept.values()):
        return {}
    return {curve: max(0.0, (one.utility - floor) / room) for curve, one in kept.items()}


def as_range(shares: Sequence[float]) -> str:
    """Return the least and the largest of some shares, in per cent."""
    low, high = round(100 * min(shares)), round(100 * max(shares))
    return f"{high if low == high else f'{low} to {high}'} %"


def verdict(comparison: Comparison, styles: Styles) -> str:
    """Return where the base of the comparison differs significantly from the others."""
    found = comparison.differences
    if not found or comparison.base is None:
        return ""
    ahead, behind = ([d for d in found if d.shown == sign] for sign in (1, -1))
    where = [
        f"{word} in {len(some)} ({_against(some, styles)})"
        for word, some in (("ahead", ahead), ("behind", behind))
        if some
    ]
    even = len(found) - len(ahead) - len(behind)
    where += [f"not distinguishable in {even if where else 'any'}"] if even else []
    base = styles[comparison.base].short
    return f"Of {several(len(found), 'comparison')} with the others at equal recovery, {base} is {listed(where)}."


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
    return [(styles[curve].short, found) for curve, found in worst.items()]


def strongest(means: Means, styles: Styles) -> dict[Curve, tuple[float, float]]:
    """Return the least and the largest recovery of each curve by the strongest attack."""
    found = noisy(means, STRONGEST, styles)
    return {curve: (float(points[:, 1].min()), float(points[:, 1].max())) for curve, points in found}


def warnings(manifest: Manifest, styles: Styles) -> list[str]:
    """Return a sentence about each weak or missed guarantee of a run, and the warnings of its mechanisms."""
    own = [curve.made.warning for curve in styles if curve.made.warning]
    return [warning for warning in [_weak(manifest), *_missed(manifest, styles), *dict.fromkeys(own)] if warning]


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
            before = worst.get(recipe.curve, recipe)
            worst[recipe.curve] = max(before, recipe, key=lambda r: r.delta_reached)
    return [
        f"{styles[curve].short} misses its delta: at epsilon {r.epsilon:g} the true delta is {r.delta_reached:.3g}, "
        f"not {r.delta:.3g}."
        for curve, r in worst.items()
    ]
