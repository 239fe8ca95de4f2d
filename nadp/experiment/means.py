"""Means of scores over the repeats, by metric and curve: the basis of reports and choices."""

import math
from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nadp.experiment.curves import Curve
from nadp.experiment.metrics import TaskMetric
from nadp.scores import CURVE, Score, mean_and_error, score_table

if TYPE_CHECKING:
    import pandas as pd

Points = npt.NDArray[np.float64]
"""(settings, 4) sorted by setting: setting (NaN without noise), mean, standard errors over repeats and over items."""
ByCurve = dict[Curve, Points]


class Means:
    """Means and standard errors of the scores of an experiment; undefined means are left out.

    Args:
        scores: scores of an experiment, or their table.
    """

    def __init__(self, scores: "pd.DataFrame | Iterable[Score]") -> None:
        import pandas as pd  # noqa: PLC0415 - slow to import

        table = scores if isinstance(scores, pd.DataFrame) else score_table(scores)
        key = ["benchmark", "metric", "words"]
        self._floors = table.dropna(subset=["floor"]).groupby(key)["floor"].first().to_dict()
        summary = mean_and_error(table).dropna(subset=["mean"])
        columns = [*key, *CURVE, "setting", "mean", "error", "item_error"]
        points_by_curve: dict[tuple[TaskMetric, str], dict[Curve, list[tuple[float, ...]]]] = defaultdict(
            lambda: defaultdict(list)
        )
        for benchmark, metric, words, mechanism, tau, isolated, *point in summary[columns].itertuples(index=False):
            points_by_curve[TaskMetric(benchmark, metric), words][Curve.at(mechanism, tau, isolated)].append(
                tuple(point)
            )
        self._points = {
            key: {curve: np.array(sorted(points), dtype=np.float64) for curve, points in curves.items()}
            for key, curves in points_by_curve.items()
        }

    @property
    def metrics(self) -> list[TaskMetric]:
        """All benchmarks with all their metrics, by name."""
        return sorted({metric for metric, _ in self._points})

    def present(self, metrics: Iterable[TaskMetric]) -> list[TaskMetric]:
        """Return the metrics that were scored, among some metrics."""
        return [metric for metric in metrics if (metric, "released") in self._points]

    def of(self, metric: TaskMetric) -> ByCurve:
        """Return the means of a metric on the words that each curve releases."""
        return self._points.get((metric, "released"), {})

    def comparable(self, metric: TaskMetric) -> ByCurve:
        """Return the means of a metric on the words that all curves release, if some leave words out."""
        return self._points.get((metric, "common")) or self.of(metric)

    def floor(self, metric: TaskMetric) -> float:
        """Return the score of random vectors, on the words of `comparable`; NaN if not evaluated."""
        words = "common" if (metric, "common") in self._points else "released"
        return float(self._floors.get((*metric, words), math.nan))
