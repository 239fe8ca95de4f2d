"""Noise for publication, settled before a number is drawn: law, scales, grid, and the guarantee they reach."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nadp.embeddings import Ids
from nadp.errors import InputError
from nadp.mechanisms.guarantee import Guarantee
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


def largest_number(vectors: npt.NDArray[np.float32]) -> float:
    """Return the largest absolute value of vectors.

    Raises:
        InputError: if it is too large for the sampler's bounds.
    """
    largest = float(np.abs(vectors).max())
    if not largest <= _LARGEST_NUMBER:
        raise InputError(f"the vectors hold numbers above {_LARGEST_NUMBER:g}: choose another unit of length")
    return largest
