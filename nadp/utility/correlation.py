"""Correlations that say NaN, without a warning, where they are not defined."""

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

Floats64 = npt.NDArray[np.float64]


def pearson(one: Floats64, other: Floats64) -> float:
    """Return Pearson's correlation of two samples (m,); NaN for fewer than two items or a constant sample."""
    if len(one) < 2:
        return float("nan")
    a, b = one - one.mean(), other - other.mean()
    scale = float(np.sqrt((a @ a) * (b @ b)))
    return float(np.clip((a @ b) / scale, -1, 1)) if scale > 0 else float("nan")


def spearman(one: Floats64, other: Floats64) -> float:
    """Return Spearman's correlation of two samples (m,), ties sharing their mean rank; NaN as for pearson."""
    return pearson(rankdata(one), rankdata(other))
