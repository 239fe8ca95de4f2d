"""Noise for publication: normal numbers from the operating system's randomness, without any seed.

A uniform number u in (0, 1/2) is drawn with full relative precision (a geometric exponent, 51 bits of mantissa), and
u is turned into -Phi^-1(u) with a random sign. So the far tails have their correct probability, and the deviation from
the normal law is bounded as a ratio of probabilities: a tiny addition to epsilon.
"""

import os
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

from nadp.noise.uniform import GRANULE, Bytes, signed, small_uniform

INVERSE_ERROR = 2.0**-46
"""Relative error of scipy.special.ndtri. It is not proved: it is ten times the largest error found."""
ASSUMED = (
    "the relative error of scipy.special.ndtri is at most 2^-46; this is not proved: it is ten times the largest that "
    "was found at 60,000 points against 50 digits, with scipy 1.17.1 on Linux x86-64"
)
"""What the bound on the sampler's deviation assumes, for certificates."""
_MILLS = 1.2533141373155003  # (1 - Phi(z)) / phi(z) is largest at 0
WITHIN = 1.02
"""Largest relative change of a density within one interval of the grid, up to the farthest number."""
LARGEST_MU = 10.0
"""Above this mu no bound on the sampler's deviation is claimed."""
FARTHEST = 9.0
"""Beyond this many standard deviations, no bound on the ratio of probabilities is claimed; their mass is added to
delta."""


def standard_normal(count: int, random_bytes: Bytes = os.urandom) -> npt.NDArray[np.float64]:
    """Return independent standard normal numbers, (count,); never infinite, never 0 by rounding.

    Args:
        count: how many numbers to draw.
        random_bytes: source of randomness; default the operating system.
    """
    return signed(count, lambda words, more: ndtri(small_uniform(words, more)), random_bytes)


@dataclass(frozen=True)
class Deviation:
    """Deviation of the sampler from exact normal noise, for one vector and two neighbouring words.

    Attributes:
        epsilon: addition to epsilon.
        delta: addition to delta.
    """

    epsilon: float
    delta: float


def deviation(dimension: int, scale: float, grid: float, largest: float, mu: float) -> Deviation:
    """Return a bound on what rounding and the sampler add to epsilon and delta.

    A released number is a point of the grid, which stands for an interval of normal numbers of width grid / scale. The
    interval's ends are off by the error of the inverse (see ASSUMED) and of the sum, and its mass by the granularity
    of u. Relative to its mass, this is at most m, the sum below. So the ratio of the sampler's probability to the ideal
    probability is between 1 - m and 1 + m, also for the other of two neighbouring words, which is mu standard
    deviations farther away. A vector has `dimension` such factors, and a ratio of two probabilities twice as many.

    Args:
        dimension: d.
        scale: the largest standard deviation of any word's noise.
        grid: spacing of released numbers.
        largest: the largest absolute value in the vectors without noise.
        mu: mu of the release; above 10, no bound is claimed.
    """
    farthest = FARTHEST + mu
    ends = INVERSE_ERROR * farthest + 2.0**-52 * (largest / scale + farthest)
    mass = 2 * (ends + GRANULE * _MILLS) * scale / grid * WITHIN
    bound = 2 * dimension * np.arctanh(mass) if mass < 1 else np.inf
    return Deviation(float(bound), float(2 * dimension * ndtr(-FARTHEST)))
