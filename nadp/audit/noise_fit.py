"""Is the noise of a release as large as it should be, and shaped as it should be: Kolmogorov-Smirnov."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.stats import kstest


@dataclass(frozen=True)
class NoiseFit:
    """How well standardised noise fits its law.

    Attributes:
        values: how many numbers were tested.
        spread: root of their mean square over that of the law; 1 if the scale is right.
        statistic: largest distance of the distribution functions.
        p_value: probability of so large a distance if the law holds.
    """

    values: int
    spread: float
    statistic: float
    p_value: float


_LAWS = {"gaussian": ("norm", 1.0), "laplace": ("laplace", float(np.sqrt(2)))}


def noise_fit(
    noise: npt.NDArray[np.floating], scale: npt.NDArray[np.float64], family: str = "gaussian", most: int = 1_000_000
) -> NoiseFit:
    """Return how well noise / scale fits the standard law of its family.

    Words without noise are left out: they are counted elsewhere. With the default of a million values a scale that is
    wrong by one per cent is found with certainty.

    Args:
        noise: (q, d) released less original vectors.
        scale: (q,) claimed scale of each word's noise.
        family: "gaussian" or "laplace".
        most: how many values are tested at the most, taken evenly from all of them.
    """
    noisy = scale > 0
    if not noisy.any():
        return NoiseFit(0, float("nan"), float("nan"), float("nan"))
    standard = (noise[noisy].astype(np.float64) / scale[noisy, None]).ravel()
    law, root = _LAWS[family]
    spread = float(np.sqrt((standard**2).mean())) / root
    tested = standard[:: -(-len(standard) // most)]
    found = kstest(tested, law)
    return NoiseFit(len(tested), spread, float(found.statistic), float(found.pvalue))


def spread_by_group(
    noise: npt.NDArray[np.floating], scale: npt.NDArray[np.float64], group: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Return the number of values and the mean square of noise / scale in each group, (g,) both; NaN without noise.

    For Gaussian noise the mean square times the number of values is chi-squared distributed.

    Args:
        noise: (q, d) released less original vectors.
        scale: (q,) claimed scale of each word's noise.
        group: (q,) of each word, 0 and up.
    """
    noisy = scale > 0
    squared = (noise[noisy].astype(np.float64) ** 2).sum(axis=1) / scale[noisy] ** 2
    groups = int(group.max()) + 1 if len(group) else 0
    values = np.bincount(group[noisy], minlength=groups) * noise.shape[1]
    total = np.bincount(group[noisy], weights=squared, minlength=groups)
    return values, np.divide(total, values, out=np.full(groups, np.nan), where=values > 0)
