"""The answer to "at the privacy I need, what is left of my task, and which mechanism and parameter give it?"."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from nadp.errors import InputError
from nadp.experiment.curves import Curve
from nadp.experiment.means import Means
from nadp.experiment.metrics import STRONGEST, TaskMetric, single_tasks
from nadp.scores import CURVE, Score

INTERVAL = 1.96
"""Standard errors on both sides of a figure that hold 95 % of a normal distribution."""
Floats64 = npt.NDArray[np.float64]
_NAN = float("nan")


class Left(NamedTuple):
    """What a curve keeps of a task at a recovery.

    Attributes:
        setting: of the curve's parameter, interpolated between the amounts of noise that were run.
        recovery: share of the words that the attack identifies there.
        utility: of the task; NaN where the curve does not come down to the recovery, and then no setting either.
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
        """Half the interval of the utility, of whose upper half some may be cut off."""
        return self.utility - self.low

    def reaches(self, recovery: float) -> bool:
        """Return whether the curve comes to a recovery, and is not told at another one that is its closest."""
        return math.isfinite(self.utility) and math.isclose(self.recovery, recovery)


@dataclass(frozen=True, eq=False)
class TaskResult:
    """A task under all curves.

    Attributes:
        task: the benchmark and its metric.
        clean: what it reaches without noise; NaN if that was not evaluated.
        floor: what it reaches with random vectors; NaN if that was not evaluated.
        points: of each curve with noise: setting, recovery, utility, and their standard errors: of the utility over
            items and repeats, of the recovery over the repeats; (settings, 5), by recovery.
    """

    task: TaskMetric
    clean: float
    floor: float
    points: dict[Curve, Floats64]

    def kept(self, recovery: float) -> dict[Curve, Left]:
        """Return what each curve keeps at a recovery.

        A curve that stays below it is told at its largest recovery, one that stays above it at its least. What
        exceeds the utility without noise is cut off: a task whose score rises with the noise measures something else
        than the vectors.
        """
        return {curve: _at(points, recovery, self.clean) for curve, points in self.points.items()}


def choose(
    scores: pd.DataFrame | Iterable[Score],
    max_recovery: float = 0.1,
    *,
    tasks: Sequence[TaskMetric] | None = None,
    attack: TaskMetric = STRONGEST,
) -> pd.DataFrame:
    """Return what each mechanism keeps of each task where an attack identifies at most a given share of the words.

    A row for each task and each curve with noise: its `parameter` and `setting` there (interpolated between the amounts
    of noise that were run), the `recovery`, the `utility` with an interval of about 95 % from `low` to `high` (over
    items and repeats), what the task reaches without noise (`clean`) and with random vectors (`floor`). A curve that
    stays below `max_recovery` is told at its largest recovery. One that never comes down to it has its least recovery,
    but no setting and no utility. Where some curves leave words out, all are compared on the words that every one of
    them releases.

    Args:
        scores: of an experiment, or the table of them: `pd.read_csv("runs/demo/scores.csv")`.
        max_recovery: the largest share of words that an attacker may identify, above 0 and at most 1.
        tasks: which ones; default the main metric of each benchmark.
        attack: whose recovery counts.

    Raises:
        InputError: if max_recovery is out of range, or there are no scores of the attack under noise.
    """
    if not (0 < max_recovery <= 1):
        raise InputError(f"max_recovery must be above 0 and at most 1, not {max_recovery!r}")
    means = Means(scores)
    if not any(curve.noisy for curve in means.comparable(attack)):
        raise InputError(f"the scores hold no {attack.metric!r} under noise: nothing says what an attacker learns")
    rows = []
    for task in single_tasks(means.metrics) if tasks is None else tasks:
        result = task_result(means, task, attack)
        for curve, kept in result.kept(max_recovery).items():
            place = {"mechanism": curve.mechanism, "tau": curve.tau, "isolated": curve.isolated}
            place["parameter"] = curve.parameter
            rows.append(task._asdict() | place | kept._asdict() | {"clean": result.clean, "floor": result.floor})
    columns = [*TaskMetric._fields, *CURVE, "parameter", *Left._fields, "clean", "floor"]
    return pd.DataFrame(rows, columns=columns)


def task_result(means: Means, task: TaskMetric, attack: TaskMetric = STRONGEST) -> TaskResult:
    """Return a task under all curves, on the words that all of them release if some leave words out.

    Args:
        means: of all scores.
        task: which task.
        attack: whose recovery counts.
    """
    useful, attacked = means.comparable(task), means.comparable(attack)
    both = [curve for curve in useful if curve.noisy and curve in attacked]
    points = {curve: _points(useful[curve], attacked[curve]) for curve in both}
    clean = next((points[0, 1] for curve, points in useful.items() if not curve.noisy), _NAN)
    return TaskResult(task, float(clean), means.floor(task), {curve: p for curve, p in points.items() if len(p)})


def _points(useful: Floats64, attacked: Floats64) -> Floats64:
    """Return the settings that were both evaluated and attacked, by recovery; see TaskResult.points."""
    setting, one, other = np.intersect1d(useful[:, 0], attacked[:, 0], return_indices=True)
    utility, repeats, items = useful[one, 1:].T
    recovery, moved, _ = attacked[other, 1:].T
    error = np.hypot(np.nan_to_num(repeats), np.nan_to_num(items))
    points = np.column_stack([setting, recovery, utility, error, np.nan_to_num(moved)])
    return points[np.argsort(recovery, kind="stable")]


def _at(points: Floats64, recovery: float, most: float) -> Left:
    """Return what a curve with some points, by recovery, keeps at a recovery; at most so much (NaN for no limit)."""
    after = int(np.searchsorted(points[:, 1], recovery, side="right"))
    if not after:
        return Left(_NAN, float(points[0, 1]), _NAN, _NAN, _NAN)
    if after == len(points):
        setting, reached, utility, error, _ = points[-1].tolist()
    else:
        setting, reached, utility, error = _between(points[after - 1], points[after], recovery)
    kept, high = (float(np.fmin(end, most)) for end in (utility, utility + INTERVAL * error))
    return Left(setting, reached, kept, kept - INTERVAL * error, high)


def _between(low: Floats64, high: Floats64, recovery: float) -> tuple[float, float, float, float]:
    """Return setting, recovery, utility and its error between two points of a curve.

    Settings span decades and are interpolated by their logarithms. An error of the recovery moves the point along the
    line, hence is one of the utility, too.
    """
    share = (recovery - low[1]) / (high[1] - low[1])
    setting, _, utility, error, moved = (low + share * (high - low)).tolist()
    if low[0] > 0 and high[0] > 0:
        setting = float(low[0] * (high[0] / low[0]) ** share)
    slope = float((high[2] - low[2]) / (high[1] - low[1]))
    return setting, recovery, utility, float(np.hypot(error, slope * moved))
