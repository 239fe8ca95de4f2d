"""The Kolmogorov-Smirnov test of a release's noise against its claimed law and scale."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nadp.noise import GaussianNoise, NoiseLaw

_GAUSSIAN = GaussianNoise()


@dataclass(frozen=True)
class NoiseFit:
    """How well standardised noise fits its law.

    Attributes:
        values: number of tested values.
        spread: ratio of the actual to the claimed noise scale, on average; 1 if the scale is right.
        statistic: largest distance between the distribution functions.
        p_value: probability of a distance at least this large if the law holds.
    """

    values: int
    spread: float
    statistic: float
    p_value: float


def noise_fit(
    noise: npt.NDArray[np.float64],
    scale: npt.NDArray[np.float64],
    law: NoiseLaw = _GAUSSIAN,
    most: int = 1_000_000,
) -> NoiseFit:
    """Return how well noise / scale fits its law.

    For Gaussian and Laplace noise the test uses single numbers, for Mahalanobis noise the lengths of vectors. Words
    without noise are left out: another check counts them. With a million values, a scale that is wrong by one per cent
    is practically always detected.

    Args:
        noise: (q, d) released minus original vectors, whitened.
        scale: (q,) claimed noise scale of each word.
        law: the law of the noise.
        most: largest number of tested values; more are thinned evenly, over all components.
    """
    noisy = scale > 0
    if not noisy.any():
        return NoiseFit(0, float("nan"), float("nan"), float("nan"))
    noise, scale = noise[noisy], scale[noisy]
    sizes = law.sizes(noise, scale)
    spread = float((sizes.values.mean() / sizes.shape) ** sizes.power)
    standard, expected = law.standardised(noise, scale)
    tested = standard[:: _step(len(standard), most, noise.shape[1])]
    from scipy.stats import kstest  # noqa: PLC0415 - slow to import

    test = kstest(tested, expected.cdf)
    return NoiseFit(len(tested), spread, float(test.statistic), float(test.pvalue))


def _step(values: int, most: int, dimension: int) -> int:
    """Return the step between tested values, coprime to the dimension, so that no component is left out."""
    step = -(-values // most)
    while math.gcd(step, dimension) > 1:
        step += 1
    return step
