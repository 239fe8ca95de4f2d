"""Samplers for publication: exponential numbers, and Laplace and Gamma numbers made of them.

For the uniform numbers u in (0, 1/2) of nadp.noise.uniform, -ln 2u is exponentially distributed. Its far tail is where
u is near 0, and there u is accurate.
"""

import os

import numpy as np
import numpy.typing as npt

from nadp.noise.normal import WITHIN, Deviation
from nadp.noise.uniform import AT_A_TIME, GRANULE, Bytes, random_words, signed, small_uniform

_LOG_ERROR = 2.0**-50  # relative; a correctly rounded logarithm has 2^-53
ASSUMED = (
    "the relative error of numpy.log is at most 2^-50; this is not proved: it is seven times the largest that was "
    "found at 60,000 points against 50 digits, with numpy 2.4.6 on Linux x86-64"
)
"""What the bound on the sampler's deviation assumes, for certificates."""
_FARTHEST = 750.0  # the largest number of the sampler; beyond 700 the probability is below 1e-300


def standard_laplace(count: int, random_bytes: Bytes = os.urandom) -> npt.NDArray[np.float64]:
    """Return independent Laplace numbers of scale 1, (count,).

    Args:
        count: how many numbers to draw.
        random_bytes: source of randomness; default the operating system.
    """
    return signed(count, _exponential, random_bytes)


def standard_gamma(shape: int, count: int, random_bytes: Bytes = os.urandom) -> npt.NDArray[np.float64]:
    """Return independent Gamma(shape, 1) numbers, (count,): sums of `shape` exponential numbers.

    Args:
        shape: an integer, at least 1.
        count: how many numbers to draw.
        random_bytes: source of randomness; default the operating system.
    """
    sums = np.zeros(count)
    rows = max(1, AT_A_TIME // shape)
    for start in range(0, count, rows):
        part = sums[start : start + rows]
        words = random_words(shape * len(part), random_bytes)
        _exponential(words, random_bytes).reshape(len(part), shape).sum(axis=1, out=part)
    return sums


def _exponential(words: npt.NDArray[np.uint64], random_bytes: Bytes) -> npt.NDArray[np.float64]:
    """Return exponential numbers made of the lower 63 bits of random words."""
    numbers = small_uniform(words, random_bytes)
    numbers *= 2
    np.log(numbers, out=numbers)
    return np.negative(numbers, out=numbers)


def laplace_deviation(dimension: int, scale: float, grid: float, largest: float) -> Deviation:
    """Return a bound on what rounding and the sampler add to epsilon; delta stays 0.

    As for normal noise (nadp.noise.normal.deviation), the ends of a released number's interval are off by the errors of
    the logarithm and the sum, and by one cell of u. Relative to the interval's mass, this is at most m.

    Args:
        dimension: d.
        scale: scale of the noise.
        grid: spacing of released numbers.
        largest: the largest absolute value in the vectors without noise.
    """
    ends = _LOG_ERROR * _FARTHEST + 2.0**-52 * (largest / scale + _FARTHEST) + GRANULE
    mass = 2 * ends * scale / grid * WITHIN
    return Deviation(float(2 * dimension * np.arctanh(mass)) if mass < 1 else np.inf, 0.0)
