"""How much utility is left at the privacy that a user needs, and which mechanism and parameter reach it?"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from nadp.errors import InputError
from nadp.experiment.curves import Curve
from nadp.experiment.means import Means
from nadp.experiment.metrics import STRONGEST, TaskMetric, single_tasks
from nadp.scores import CURVE, Score

if TYPE_CHECKING:
    import pandas as pd

INTERVAL = 1.96
"""Half-width of a 95 % interval of a normal distribution, in standard errors."""
Floats64 = npt.NDArray[np.float64]
_NAN = float("nan")


class Left(NamedTuple):
    """The utility of a curve at a recovery.

    Attributes:
        setting: setting of the curve's parameter, interpolated between the settings that were run.
        recovery: share of words that the attack identifies there.
        utility: utility for the task. It is NaN, like the setting, if the curve never reaches so low a recovery.
        low: lower end of the utility's interval.
        high: upper end.
    """

    setting: float
    recovery: float
    utility: float
    low: float
    high: float

    @property
    def error(self) -> float:
        """Half-width of the interval, measured below the utility, since the upper part may be capped."""
        return self.utility - self.low

    def reaches(self, recovery: float) -> bool:
        """Return whether the curve reaches a recovery; if not, the figures belong to its closest point."""
        return math.isfinite(self.utility) and math.isclose(self.recovery, recovery)


@dataclass(frozen=True, eq=False)
class TaskResult:
    """A task under all curves.

    Attributes:
        task: the benchmark and its metric.
        clean: score without noise; NaN if not evaluated.
        floor: score of random vectors; NaN if not evaluated.
        points: for each curve with noise, (settings, 5), sorted by recovery: setting, recovery, utility, standard error
            of the utility (over items and repeats), and standard error of the recovery (over repeats).
    """

    task: TaskMetric
    clean: float
    floor: float
    points: dict[Curve, Floats64]

    def kept(self, recovery: float) -> dict[Curve, Left]:
        """Return the utility of each curve at a recovery.

        A curve that stays below this recovery is reported at its largest recovery, and a curve that stays above it at
        its smallest. Utility is capped at the utility without noise: a task whose score rises with the noise does not
        measure the vectors.
        """
        return {curve: _at_recovery(points, recovery, self.clean) for curve, points in self.points.items()}


def choose(
    scores: "pd.DataFrame | Iterable[Score]",
    max_recovery: float = 0.1,
    *,
    metrics: Mapping[str, str] | None = None,
    attack: TaskMetric = STRONGEST,
) -> "pd.DataFrame":
    """Return the utility of each mechanism on each task if an attack may identify at most a given share of words.

        choose(scores, 0.05, metrics={"tickets": "macro-f1"})
        choose(scores, 0.05, metrics=read_manifest("runs/demo/manifest.json").main_metrics)

    The table has a row for each task and each curve with noise: its `parameter` and `setting` (interpolated between the
    settings that were run), the `recovery`, the `utility` with an interval of about 95 % from `low` to `high` (over
    items and repeats), and the scores without noise (`clean`) and of random vectors (`floor`). A curve that stays below
    `max_recovery` is reported at its largest recovery. A curve that stays above it is reported with its smallest
    recovery, but without setting and utility. If some curves leave words out, all are compared on the words that every
    curve releases.

    Args:
        scores: scores of an experiment, or their table: `pd.read_csv("runs/demo/scores.csv")`.
        max_recovery: the largest share of words that an attacker may identify, above 0 and at most 1.
        metrics: the metric of each requested benchmark. The default is every benchmark with the main metric of its
            family, which may differ from the metric that a declaration names: "geometric-mean" for pairs of sentences
            ("spearman-weighted" if they come from several sources), "spearman" for other pairs, "accuracy" for labels
            and puzzles, "neighbours-kept".
        attack: the attack whose recovery counts.

    Raises:
        InputError: if max_recovery is out of range, a metric was not scored, or there are no scores of the attack under
            noise.
    """
    import pandas as pd  # noqa: PLC0415 - slow to import

    if not (0 < max_recovery <= 1):
        raise InputError(f"max_recovery must be above 0 and at most 1, not {max_recovery!r}")
    means = Means(scores)
    if not any(curve.noisy for curve in means.comparable(attack)):
        raise InputError(f"the scores hold no {attack.metric!r} under noise, so recovery is unknown")
    tasks = single_tasks(means.metrics) if metrics is None else [TaskMetric(*item) for item in metrics.items()]
    for task in set(tasks).difference(means.metrics):
        scored = [metric for name, metric in means.metrics if name == task.benchmark]
        raise InputError(
            f"{task.metric!r} of {task.benchmark!r} was not scored; its metrics: {', '.join(scored) or 'none'}"
        )
    rows = []
    for task in tasks:
        result = task_result(means, task, attack)
        for curve, left in result.kept(max_recovery).items():
            curve_columns = {"mechanism": curve.mechanism, "tau": curve.tau, "isolated": curve.isolated}
            curve_columns["parameter"] = curve.parameter
            rows.append(
                task._asdict() | curve_columns | left._asdict() | {"clean": result.clean, "floor": result.floor}
            )
    columns = [*TaskMetric._fields, *CURVE, "parameter", *Left._fields, "clean", "floor"]
    return pd.DataFrame(rows, columns=columns)


def task_result(means: Means, task: TaskMetric, attack: TaskMetric = STRONGEST) -> TaskResult:
    """Return a task under all curves, on the words that all of them release if some leave words out.

    Args:
        means: means of all scores.
        task: the task.
        attack: the attack whose recovery counts.
    """
    utility_points, recovery_points = means.comparable(task), means.comparable(attack)
    measured_curves = [curve for curve in utility_points if curve.noisy and curve in recovery_points]
    points = {curve: _points(utility_points[curve], recovery_points[curve]) for curve in measured_curves}
    clean = next((points[0, 1] for curve, points in utility_points.items() if not curve.noisy), _NAN)
    return TaskResult(task, float(clean), means.floor(task), {curve: p for curve, p in points.items() if len(p)})


def _points(utility_points: Floats64, recovery_points: Floats64) -> Floats64:
    """Return the settings that were both evaluated and attacked, sorted by recovery; see TaskResult.points."""
    setting, utility_rows, recovery_rows = np.intersect1d(
        utility_points[:, 0], recovery_points[:, 0], return_indices=True
    )
    utility, repeats, items = utility_points[utility_rows, 1:].T
    recovery, moved, _ = recovery_points[recovery_rows, 1:].T
    error = np.hypot(np.nan_to_num(repeats), np.nan_to_num(items))
    points = np.column_stack([setting, recovery, utility, error, np.nan_to_num(moved)])
    return points[np.argsort(recovery, kind="stable")]


def _at_recovery(points: Floats64, recovery: float, cap: float) -> Left:
    """Return the utility at a recovery of a curve given by its points, capped at `cap` (NaN for no cap)."""
    points_up_to = int(np.searchsorted(points[:, 1], recovery, side="right"))
    if not points_up_to:
        return Left(_NAN, float(points[0, 1]), _NAN, _NAN, _NAN)
    if points_up_to == len(points):
        setting, reached_recovery, utility, error, _ = points[-1].tolist()
    else:
        setting, reached_recovery, utility, error = _between(points[points_up_to - 1], points[points_up_to], recovery)
    capped, high = (float(np.fmin(end, cap)) for end in (utility, utility + INTERVAL * error))
    return Left(setting, reached_recovery, capped, capped - INTERVAL * error, high)


def _between(low: Floats64, high: Floats64, recovery: float) -> tuple[float, float, float, float]:
    """Return setting, recovery, utility and its error between two points of a curve.

    Settings span several orders of magnitude, so their logarithms are interpolated. An error in the recovery moves the
    point along the line, so it adds to the error of the utility.
    """
    share = (recovery - low[1]) / (high[1] - low[1])
    setting, _, utility, error, moved = (low + share * (high - low)).tolist()
    if low[0] > 0 and high[0] > 0:
        setting = float(low[0] * (high[0] / low[0]) ** share)
    slope = float((high[2] - low[2]) / (high[1] - low[1]))
    return setting, recovery, utility, float(np.hypot(error, slope * moved))
