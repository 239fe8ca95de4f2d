"""Correlations that are NaN, without a warning, where they are undefined."""

import numpy as np
import numpy.typing as npt

Floats64 = npt.NDArray[np.float64]


class Ratings:
    """Ratings of m items, ranked once and compared with many samples.

    A correlation is NaN for fewer than two items, or if the ratings or the sample are constant.

    Args:
        values: (m,) one rating for each item.
    """

    def __init__(self, values: Floats64) -> None:
        self._values, self._ranks = values, _ranks(values)

    def pearson(self, sample: Floats64) -> float:
        """Return Pearson's correlation with a sample (m,)."""
        return _correlation(sample, self._values)

    def spearman(self, sample: Floats64) -> float:
        """Return Spearman's correlation with a sample (m,), with ties at their mean rank."""
        return _correlation(_ranks(sample), self._ranks)


def _ranks(values: Floats64) -> Floats64:
    from scipy.stats import rankdata  # noqa: PLC0415 - slow to import

    return rankdata(values)


def _correlation(first: Floats64, second: Floats64) -> float:
    if len(first) < 2 or not np.ptp(first) or not np.ptp(second):
        return float("nan")
    a, b = first - first.mean(), second - second.mean()
    scale = float(np.sqrt((a @ a) * (b @ b)))
    return float(np.clip((a @ b) / scale, -1, 1)) if scale > 0 else float("nan")
