"""The bootstrap over items, which treats a benchmark as a sample of possible items.

Every curve is scored on the same resamples, so that two curves are compared item by item (paired).
"""

import zlib
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from nadp.utility.kernels import rank_correlations

RESAMPLES = 500
_DECIMALS = 6  # digits that are kept; the bootstrap's own error is in the third
_CONSTANT = 1e-12  # a variance below this share of the mean square is rounding
Counts = npt.NDArray[np.uint16]


@lru_cache(maxsize=64)
def item_counts(name: str, items: int) -> Counts:
    """Return how often each item of a benchmark is in each resample, (RESAMPLES, items), the same for the same name."""
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    drawn = rng.integers(0, max(1, items), (RESAMPLES, items)) + items * np.arange(RESAMPLES)[:, None]
    counts = np.bincount(drawn.ravel(), minlength=RESAMPLES * items).reshape(RESAMPLES, items)
    return counts.astype(np.uint16)


def over_items(figures: npt.NDArray[np.floating]) -> dict[str, Any]:
    """Return the resampled figures (b,) of a score, and its standard error over the items."""
    defined = figures[np.isfinite(figures)]
    error = float(np.std(defined, ddof=1)) if len(defined) > 1 else float("nan")
    return {"item_error": error, "resampled": tuple(np.round(figures.astype(np.float64), _DECIMALS).tolist())}


class ResampledRatings:
    """Ratings of items, prepared for correlation with predictions over each resample.

    Args:
        ratings: (m,) human ratings.
        counts: (b, m) number of times that each item is in each resample; each resample has m items.
    """

    def __init__(self, ratings: npt.NDArray[np.float64], counts: Counts) -> None:
        self._counts, self._ratings = counts, ratings - ratings.mean() if len(ratings) else ratings
        self._ranks = centred_ranks(ratings, counts)

    def spearman(self, predicted: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return Spearman's correlation over each resample, (b,); NaN if undefined."""
        order = np.argsort(predicted, kind="stable")
        return rank_correlations(predicted[order], order, self._counts, self._ranks)

    def pearson(self, predicted: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return Pearson's correlation over each resample, (b,); NaN if undefined."""
        if not len(predicted):
            return np.full(len(self._counts), np.nan)
        a, b = predicted - predicted.mean(), self._ratings
        sums = self._counts @ np.column_stack([a, b, a * a, b * b, a * b]) / len(a)
        predicted_variance, rating_variance = sums[:, 2] - sums[:, 0] ** 2, sums[:, 3] - sums[:, 1] ** 2
        is_defined = (predicted_variance > _CONSTANT * sums[:, 2]) & (rating_variance > _CONSTANT * sums[:, 3])
        covariance, deviation_product = (
            sums[:, 4] - sums[:, 0] * sums[:, 1],
            np.sqrt(np.where(is_defined, predicted_variance * rating_variance, 1.0)),
        )
        return np.where(is_defined, covariance / deviation_product, np.nan)


def centred_ranks(values: npt.NDArray[np.float64], counts: Counts) -> npt.NDArray[np.float32]:
    """Return the rank of each item (m,) within each resample (b, m), minus the mean; ties share their mean rank."""
    _, group = np.unique(values, return_inverse=True)
    groups = int(group.max()) + 1 if len(group) else 0
    sizes = np.zeros((len(counts), groups))
    for column, g in enumerate(group):
        sizes[:, g] += counts[:, column]
    n_smaller = np.cumsum(sizes, axis=1) - sizes
    middle = n_smaller + (sizes + 1) / 2 - (counts.shape[1] + 1) / 2
    return middle[:, group].astype(np.float32)
