"""Noise for publication, settled before a number is drawn: law, scales, grid, and the guarantee they reach."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nadp.components import Isolated
from nadp.embeddings import Ids
from nadp.errors import InputError
from nadp.mechanisms.guarantee import Between, Guarantee
from nadp.noise import GridNoise, NoiseLaw
from nadp.noise.normal import Deviation

LARGEST_DEVIATION = 1e-3
"""Of the sampler, in epsilon."""
_LARGEST_NUMBER = 1e15


@dataclass(frozen=True, eq=False)
class Publication:
    """What is settled before a number is drawn.

    Attributes:
        guarantee: what the noise reaches, the sampler's deviation included.
        law: of the noise, fitted to the embedding.
        multiplier: noise per unit of sensitivity; large enough for the deviation too.
        scale: (n,) of each word's noise.
        grid: distance of two published numbers.
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
    """What noise must hide, and what it may depend on.

    Attributes:
        sensitivity: (m,) how far apart two vectors of each published word may be in L2, above 0.
        dimension: of the vectors, d.
        largest: no number in them is larger, in absolute value.
        between: what the guarantee holds between.
        isolated: the policy for isolated words; None where no graph of these vectors plays a part.
        constant: the public sensitivity or length, where the guarantee holds for one.
        unprotected: share of the published words that have no guarantee at all.
        selected: whether it is decided by the vectors that there is a release at all.
    """

    sensitivity: npt.NDArray[np.float64]
    dimension: int
    largest: float
    between: Between
    isolated: Isolated | None = None
    constant: float | None = None
    unprotected: float = 0.0
    selected: bool = False


def largest_number(vectors: npt.NDArray[np.float32]) -> float:
    """Return the largest absolute value of vectors.

    Raises:
        InputError: if it is too large for the sampler's bounds.
    """
    largest = float(np.abs(vectors).max())
    if not largest <= _LARGEST_NUMBER:
        raise InputError(f"the vectors hold numbers above {_LARGEST_NUMBER:g}: choose another unit of length")
    return largest
