"""Noise for publication: normal numbers from the operating system's randomness, without a seed anywhere.

A uniform number u in (0, 1/2) is drawn with full relative precision (a geometric exponent, 51 bits of mantissa), and
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
_MOST_FRESH_WORDS = 20  # for one number: all bits of so many are zero with probability 2^-1040
_EXPONENT_BITS = 11
_WORDS_AT_A_TIME = 1 << 20
_INVERSE_ERROR = 2.0**-46  # of ndtri, relative: 30 times the largest that was found against 50 digits
_MILLS = 1.2533141373155003  # (1 - Phi(z)) / phi(z) is largest at 0
_GRANULE = 2.0**-51  # relative width of the cells of u
_WITHIN = 1.02  # how much the normal density changes within an interval of 2^-10 deviations, up to the farthest one
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
        words = _words(random_bytes, len(part))
        signs = np.where(words >> np.uint64(63), -1.0, 1.0)
        np.multiply(signs, ndtri(_small_uniform(words, random_bytes)), out=part)
    return found


def _small_uniform(words: npt.NDArray[np.uint64], random_bytes: Bytes) -> npt.NDArray[np.float64]:
    """Return uniform numbers in (0, 1/2), (n,), made of the lower 63 bits of random words and of more where needed.

    The number lies in [2^-(k+1), 2^-k) with probability 2^-k, k = 1, 2, ...: k - 1 is the length of a run of zero
    bits, which goes on in fresh words where all bits at hand are zero.
    """
    odd = (words & np.uint64((1 << _MANTISSA) - 1)) | np.uint64(1)  # the middle of a cell, so u is never 1/2
    mantissa = 1 + odd.astype(np.float64) * 2.0**-_MANTISSA
    zeros = _leading_zeros((words >> np.uint64(_MANTISSA)) & np.uint64((1 << _EXPONENT_BITS) - 1), _EXPONENT_BITS)
    unsettled = np.flatnonzero(zeros == _EXPONENT_BITS)
    for _ in range(_MOST_FRESH_WORDS):
        if not len(unsettled):
            break
        found = _leading_zeros(_words(random_bytes, len(unsettled)) >> np.uint64(64 - _MANTISSA), _MANTISSA)
        zeros[unsettled] += found
        unsettled = unsettled[found == _MANTISSA]
    if len(unsettled):
        raise RuntimeError("the source of randomness gives nothing but zeros")
    return np.ldexp(mantissa, -(zeros + 2))


def _words(random_bytes: Bytes, count: int) -> npt.NDArray[np.uint64]:
    """Return so many random 64-bit words."""
    found = random_bytes(8 * count)
    if len(found) != 8 * count:
        raise RuntimeError(f"the source of randomness gave {len(found)} bytes, not {8 * count}")
    return np.frombuffer(found, dtype=np.uint64)


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


def deviation(dimension: int, scale: float, grid: float, largest: float, mu: float) -> Deviation:
    """Return a bound on what rounding and the sampler add to epsilon and delta.

    A released number is a point of the grid, hence an interval of normal numbers of width grid / scale. The interval's
    ends are off by the error of the inverse and of the sum, and its mass by the granularity of u; relative to its mass
    that is at most m, the sum below, so the ratio of the sampler's probability to the ideal one lies between 1 - m and
    1 + m, also as seen from the other of two neighbouring words, mu standard deviations farther away. A vector has
    `dimension` of them, and the ratio of two probabilities twice that.

    Args:
        dimension: d.
        scale: the largest standard deviation of any word's noise.
        grid: distance of two released numbers.
        largest: the largest absolute value in the vectors without noise.
        mu: of the release, at most 10.
    """
    far = FARTHEST + mu
    ends = _INVERSE_ERROR * far + 2.0**-52 * (largest / scale + far)
    mass = 2 * (ends + _GRANULE * _MILLS) * scale / grid * _WITHIN
    bound = 2 * dimension * np.arctanh(mass) if mass < 1 else np.inf
    return Deviation(float(bound), float(2 * dimension * ndtr(-FARTHEST)))
