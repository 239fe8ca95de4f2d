"""Texts as noisy vectors."""

import os
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nadp.embeddings import Floats, Ids
from nadp.noise.grid import widened
from nadp.noise.uniform import fractions


@dataclass(frozen=True, eq=False)
class EncodedTexts:
    """n texts with t tokens in total, as noisy vectors.

    Attributes:
        vectors: (t, d) float32, text after text.
        starts: (n + 1,) where each text's tokens begin.
        factors: (n,) factor by which the noise of each text's tokens is enlarged to keep a budget. It is public: it
            depends only on the number of tokens.
        unknown: (n,) number of unknown tokens left out of each text. For the owner of the texts only: the guarantee
            does not cover it.
        cut: (n,) number of tokens left out of each text because they exceed the requested length. For the owner only.
        grid: spacing of the numbers in vectors of tokens with a factor of 1; 0 if there is no grid.
    """

    vectors: Floats
    starts: Ids
    factors: npt.NDArray[np.float64]
    unknown: Ids
    cut: Ids
    grid: float = 0.0

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, text: int) -> Floats:
        """Return the vectors of the tokens of one text, (k, d)."""
        text = range(len(self))[text]
        return self.vectors[self.starts[text] : self.starts[text + 1]]

    @property
    def lengths(self) -> Ids:
        """(n,) number of tokens of each text."""
        return np.diff(self.starts)

    def centroids(self) -> Floats:
        """Return the mean vector of each text, (n, d); zeros for a text without tokens.

        The mean of k vectors on a grid lies on a grid that is k times finer, which would reveal k. So each mean is
        rounded to the grid of tokens with a factor of 1; ties go up, since ties to even numbers would favour these for
        an even k. Tokens with a larger factor may lie on a coarser grid, which would reveal the factor. So a uniform
        number of the width of that grid is added before rounding; it is small compared to their noise.
        """
        sums = np.zeros((len(self), self.vectors.shape[1]))
        filled = np.flatnonzero(self.lengths)
        if len(filled):
            sums[filled] = np.add.reduceat(self.vectors.astype(np.float64), self.starts[filled], axis=0)
        means = sums / self.lengths.clip(min=1)[:, None]
        if self.grid:
            means = np.floor(means / self.grid + self._offsets(means.shape[1])) * self.grid + 0.0
        return means.astype(np.float32)

    def _offsets(self, dimension: int) -> npt.NDArray[np.float64]:
        """Return what is added to each mean before it is rounded down, in units of the grid, (n, d)."""
        offsets = np.full((len(self), dimension), 0.5)
        widths = widened(self.grid, self.factors) / self.grid
        coarser = np.flatnonzero((widths > 1) & (self.lengths > 0))
        uniform = fractions(len(coarser) * dimension, os.urandom).reshape(-1, dimension)
        offsets[coarser] += widths[coarser, None] * (uniform - 0.5)
        return offsets
