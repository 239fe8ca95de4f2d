"""The paper's privacy figure: the overlap of neighbours before and after the noise, and its skewness (section 5.2).

It is never shown alone. A mixture of exposed words (p = 1) and hidden words (p near 0) has a small or negative
skewness. So, unlike in the paper's reading, low skewness does not mean privacy.
"""

import numpy as np
import numpy.typing as npt


def overlaps(before: npt.NDArray[np.int32], after: npt.NDArray[np.int32]) -> npt.NDArray[np.float64]:
    """Return p_i, the Jaccard index of each word's nearest points before and after the noise, (q,).

    Args:
        before: (q, k) neighbour lists of x, including the word itself.
        after: (q, k) neighbour lists of M(x).
    """
    common = (before[:, :, None] == after[:, None, :]).sum(axis=(1, 2))
    return common / (before.shape[1] + after.shape[1] - common)


def skewness(sample: npt.NDArray[np.float64], *, corrected: bool = True) -> float:
    """Return the sample skewness. For a constant sample or too few items, it is NaN, or 0 in the plain form.

    Args:
        sample: (n,) values.
        corrected: use the form of appendix B, n / ((n-1)(n-2)) sum((x - mean)^3 / s^3); otherwise the plain third
            moment, as in the authors' code, which returns 0 if it is undefined.
    """
    n = len(sample)
    centred = sample - sample.mean() if n else sample
    variance = float((centred**2).mean()) if n else 0.0
    if n < 3 or variance <= np.finfo(float).eps ** 2:
        return float("nan") if corrected else 0.0
    uncorrected = float((centred**3).mean()) / variance**1.5
    return uncorrected * float(np.sqrt(n * (n - 1))) / (n - 2) if corrected else uncorrected
