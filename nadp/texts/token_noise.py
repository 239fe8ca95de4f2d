"""Fresh noise for every token, for publication: from the operating system, on one grid, without a seed."""

import os
from dataclasses import dataclass
from typing import get_args

import numpy as np
import numpy.typing as npt

from nadp.embeddings import Floats, Ids
from nadp.errors import InputError
from nadp.mechanisms import NoiseFamily
from nadp.noise.exponential import standard_gamma, standard_laplace
from nadp.noise.grid import on_grid
from nadp.noise.normal import standard_normal
from nadp.noise.uniform import Bytes
from nadp.runtime.parallel import for_blocks

_LARGEST_SCALE = 1e24  # so that noise remains finite in float32, whatever its factor
_ROWS = 4096  # that are drawn at a time


@dataclass(frozen=True, eq=False)
class TokenNoise:
    """The noise of the words of an embedding.

    Attributes:
        family: its law.
        scale: (n,) of each word: the standard deviation, or the scale of Laplace and Mahalanobis noise.
        grid: distance of two numbers that come out.
        root: (d, d) root of the covariance that Mahalanobis noise follows; None for the others.

    Raises:
        InputError: if a word would get no noise, or the parts do not fit each other.
    """

    family: NoiseFamily
    scale: npt.NDArray[np.float64]
    grid: float
    root: npt.NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        if self.family not in get_args(NoiseFamily):
            raise InputError(f"no such family of noise: {self.family!r}")
        if self.scale.ndim != 1 or not ((self.scale > 0) & (self.scale < _LARGEST_SCALE)).all():
            raise InputError(f"every word needs noise of a scale above 0 and below {_LARGEST_SCALE:g}")
        if not 0 < self.grid < np.inf:
            raise InputError(f"the grid must be above 0 and finite, not {self.grid!r}")
        if (self.root is None) != (self.family != "mahalanobis"):
            raise InputError("Mahalanobis noise, and no other, has a root of its covariance")

    def added_to(self, vectors: Floats, rows: Ids, factors: npt.NDArray[np.float64]) -> Floats:
        """Return the vectors of some rows, each with noise of its own, (t, d), rounded to the grid.

        Noise that is k times larger is rounded to a grid that is coarser by the power of two at or below k: what the
        sampler adds to epsilon grows with the fineness of the grid beside the noise.
        Where float32 does not hold a number of the grid, the cast is one more rounding, hence tells nothing new.

        Args:
            vectors: (n, d) of all words.
            rows: (t,) the word of each token.
            factors: (t,) by which the noise of each token is larger than its word's scale.
        """
        out = np.empty((len(rows), vectors.shape[1]), dtype=np.float32)

        def work(block: slice) -> None:
            noise = self._standard(len(rows[block]), vectors.shape[1], os.urandom)
            noise *= (self.scale[rows[block]] * factors[block])[:, None]
            grid = np.ldexp(self.grid, np.frexp(factors[block])[1] - 1)[:, None]  # as fine beside the noise as ever
            out[block] = on_grid(vectors[rows[block]], noise, grid)

        if len(rows) <= _ROWS:
            work(slice(0, len(rows)))  # starting threads would take longer than the work
        else:
            for_blocks(work, len(rows), _ROWS, "noise of tokens")
        return out

    def _standard(self, rows: int, dimension: int, random_bytes: Bytes) -> npt.NDArray[np.float64]:
        """Return noise of scale 1, (rows, d)."""
        if self.family == "laplace":
            return standard_laplace(rows * dimension, random_bytes).reshape(rows, dimension)
        normal = standard_normal(rows * dimension, random_bytes).reshape(rows, dimension)
        if self.root is None:
            return normal
        normal *= (standard_gamma(dimension, rows, random_bytes) / np.linalg.norm(normal, axis=1))[:, None]
        return normal @ self.root
