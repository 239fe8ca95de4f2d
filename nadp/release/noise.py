"""Noise for publication: normal numbers from the operating system's randomness, without a seed anywhere.

A uniform number u in (0, 1/2) is drawn with full relative precision (a geometric exponent, 52 bits of mantissa), and
u is turned into -Phi^-1(u) with a random sign. So the far tails are there with their right probability, and the
deviation from the normal law is a bound on the ratio of probabilities, a tiny addition to epsilon.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

Bytes = Callable[[int], bytes]
"""Returns so many random bytes."""
_MANTISSA = 52
_EXPONENT_BITS = 11
_WORDS_AT_A_TIME = 1 << 20
_INVERSE_ERROR = 2.0**-46  # of ndtri, relative: 30 times the largest that was found against 50 digits
_MILLS = 1.2533141373155003  # (1 - Phi(z)) / phi(z) is largest at 0
_WITHIN = 1.01  # how much the normal density changes within an interval of 2^-10 deviations, up to the farthest one
FARTHEST = 9.0
"""Beyond so many standard deviations no bound on the ratio of probabilities is claimed; their mass goes to delta."""


def standard_normal(count: int, random_bytes: Bytes = os.urandom) -> npt.NDArray[np.float64]:
    """Return independent standard normal numbers, (count,); never infinite, never 0 by rounding.

    Args:
        count: how many.
        random_bytes: where randomness comes from; default the operating system.
    """
    found = np.empty(count)
    for start in range(0, count, _WORDS_AT_A_TIME):
        part = found[start : start + _WORDS_AT_A_TIME]
        words = np.frombuffer(random_bytes(8 * len(part)), dtype=np.uint64)
        signs = np.where(words >> np.uint64(63), -1.0, 1.0)
        np.multiply(signs, ndtri(_small_uniform(words, random_bytes)), out=part)
    return found


def _small_uniform(words: npt.NDArray[np.uint64], random_bytes: Bytes) -> npt.NDArray[np.float64]:
    """Return uniform numbers in (0, 1/2), (n,), made of the lower 63 bits of random words and of more where needed.

    The number lies in [2^-(k+1), 2^-k) with probability 2^-k, k = 1, 2, ...: k - 1 is the length of a run of zero
    bits, which goes on in fresh words where all bits at hand are zero.
    """
    mantissa = 1 + ((words & np.uint64((1 << _MANTISSA) - 1)).astype(np.float64) + 0.5) * 2.0**-_MANTISSA
    zeros = _leading_zeros((words >> np.uint64(_MANTISSA)) & np.uint64((1 << _EXPONENT_BITS) - 1), _EXPONENT_BITS)
    unsettled = np.flatnonzero(zeros == _EXPONENT_BITS)
    while len(unsettled):
        more = np.frombuffer(random_bytes(8 * len(unsettled)), dtype=np.uint64) >> np.uint64(64 - _MANTISSA)
        found = _leading_zeros(more, _MANTISSA)
        zeros[unsettled] += found
        unsettled = unsettled[found == _MANTISSA]
    return np.ldexp(mantissa, -(zeros + 2))


def _leading_zeros(values: npt.NDArray[np.uint64], bits: int) -> npt.NDArray[np.int64]:
    """Return how many of the given number of bits are zero before the first one."""
    return bits - np.frexp(values.astype(np.float64))[1].astype(np.int64)


@dataclass(frozen=True)
class Deviation:
    """How far the sampler may be from exact normal noise, for one vector and both of two neighbouring words.

    Attributes:
        epsilon: what is added to epsilon.
        delta: what is added to delta.
    """

    epsilon: float
    delta: float


def deviation(dimension: int, scale: float, grid: float, largest: float) -> Deviation:
    """Return a bound on what rounding and the sampler add to epsilon and delta.

    A released number is a point of the grid, hence an interval of normal numbers of width grid / scale. The interval's
    ends are off by the error of the inverse and of the sum, and its mass by the granularity of u; relative to its mass
    that is at most the sum below. A vector has `dimension` of them, and the ratio of two probabilities twice that.

    Args:
        dimension: d.
        scale: the largest standard deviation of any word's noise.
        grid: distance of two released numbers.
        largest: the largest absolute value in the vectors without noise.
    """
    ends = _INVERSE_ERROR * FARTHEST + 2.0**-52 * (largest / scale + FARTHEST)
    mass = 2 * (ends + 2.0**-_MANTISSA * _MILLS) * scale / grid * _WITHIN
    return Deviation(float(2 * dimension * mass), float(2 * dimension * ndtr(-FARTHEST)))
