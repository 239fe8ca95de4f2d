"""Noise for publication, fixed before any draw: law, scales, grid, and the guarantee they reach."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nadp.choices import Isolated
from nadp.embeddings import Ids
from nadp.errors import InputError
from nadp.mechanisms.guarantee import Between, Guarantee
from nadp.noise import GridNoise, NoiseLaw
from nadp.noise.normal import Deviation

LARGEST_DEVIATION = 1e-3
"""Largest allowed deviation of the sampler, in epsilon."""
FALSE_ALARM = 1e-15
"""Upper bound on the probability that published numbers are refused although their noise is right."""
_SHARE_OF_DELTA = 1e-4  # that the check of published numbers may cost
_LARGEST_NUMBER = 1e15
_LEAST_ALARM = 1e-280


@dataclass(frozen=True, eq=False)
class Publication:
    """Law, scales, grid and guarantee, fixed before any draw.

    Attributes:
        guarantee: guarantee of the noise, including the sampler's deviation.
        law: law of the noise, fitted to the embedding.
        multiplier: noise per unit of sensitivity; covers the deviation too.
        scale: (n,) of each word's noise.
        grid: spacing of published numbers.
        off: what the sampler and the grid add to epsilon and delta.
    """

    guarantee: Guarantee
    law: NoiseLaw
    multiplier: float
    scale: npt.NDArray[np.float64]
    grid: float
    off: Deviation

    def of_rows(self, rows: Ids) -> GridNoise:
        """Return the noise of some words."""
        return GridNoise(self.law, self.scale[rows], self.grid)


@dataclass(frozen=True, eq=False)
class Differences:
    """The differences that noise must hide, and the public inputs that it may depend on.

    Attributes:
        sensitivity: (m,) largest L2 distance between two vectors of each published word, above 0.
        dimension: dimension of the vectors, d.
        largest: bound on the absolute value of their numbers.
        between: the scope of the guarantee.
        isolated: the policy for isolated words; None if the guarantee does not use a graph of these vectors.
        constant: the public sensitivity or length, if the guarantee has one.
        unprotected: share of the published words without any guarantee.
        selected: whether the decision to release depends on the vectors.
    """

    sensitivity: npt.NDArray[np.float64]
    dimension: int
    largest: float
    between: Between
    isolated: Isolated | None = None
    constant: float | None = None
    unprotected: float = 0.0
    selected: bool = False


def last_look(epsilon: float, delta: float) -> tuple[float, Deviation]:
    """Return the error rate of the check of published numbers, and its addition to epsilon and delta.

    The check reads vectors and noise, so its outcome may differ between neighbouring tables. It passes with
    probability at least 1 - a. A mechanism that publishes Y if it passes obeys P(Y in S, pass) <= e^epsilon
    (Q(Y in S, pass) + a) + delta, so it is (epsilon, delta + (1 + e^epsilon) a)-DP; given that it passed, the ratio
    also grows by 1 / (1 - a). Above an epsilon of about 600, the rate decreases no further; there mu is above 10, so
    nothing is claimed about the sampler.

    Args:
        epsilon: claimed.
        delta: claimed.
    """
    log_factor, log_max_delta = float(np.logaddexp(0.0, epsilon)), math.log(_SHARE_OF_DELTA * delta)
    alarm = max(_LEAST_ALARM, min(FALSE_ALARM, math.exp(max(log_max_delta - log_factor, -700.0))))
    return alarm, Deviation(2 * alarm, math.exp(min(math.log(alarm) + log_factor, log_max_delta)))


def largest_number(vectors: npt.NDArray[np.float32]) -> float:
    """Return the largest absolute value in the vectors.

    Raises:
        InputError: if it is too large for the sampler's bounds.
    """
    largest = float(max(vectors.max(), -vectors.min()))
    if not largest <= _LARGEST_NUMBER:
        raise InputError(f"the vectors hold numbers above {_LARGEST_NUMBER:g}: scale them down")
    return largest
