"""The grid of released numbers: the same for all words, so that low-order bits reveal nothing."""

import os
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nadp.choices import Sampler
from nadp.embeddings import Floats, Ids
from nadp.errors import InputError
from nadp.noise.gaussian import GaussianNoise
from nadp.noise.law import NoiseLaw
from nadp.noise.opendp import noisy_by_opendp
from nadp.noise.uniform import Bytes
from nadp.runtime.parallel import for_blocks

_ROWS = 1024  # drawn at a time; drawing takes about ten times the memory of the rows
_FINENESS = 10  # bits below the least noise: rounding adds less than a millionth of its variance
_LARGEST_SCALE = 1e24  # so that noise stays finite in float32 with any factor
_GAUSSIAN = GaussianNoise()


def grid_of(scale: npt.NDArray[np.float64]) -> float:
    """Return the spacing of the grid: the largest power of two up to 2^-10 of the least noise.

    Args:
        scale: (n,) standard deviation of each word's noise, above 0.

    Raises:
        InputError: if a word would get no noise, or noise that is not finite.
    """
    if not len(scale) or not (np.isfinite(scale) & (scale >= np.finfo(np.float64).tiny)).all():
        raise InputError("a release needs noise above 0 and finite for every word")
    return float(np.ldexp(1.0, int(np.frexp(scale.min())[1]) - 1 - _FINENESS))


def noisy_on_grid(
    vectors: Floats, scale: npt.NDArray[np.float64], grid: float, random_bytes: Bytes, law: NoiseLaw = _GAUSSIAN
) -> npt.NDArray[np.float64]:
    """Return x + scale z rounded to the grid, (n, d), where z is fresh noise of a law from the given randomness.

    The sum is computed and rounded in float64, so the result reveals x and z only up to the grid.

    Args:
        vectors: (n, d).
        scale: (n,) of each word's noise.
        grid: spacing of released numbers.
        random_bytes: source of randomness.
        law: law of the noise.
    """
    noise = law.standard(len(vectors), vectors.shape[1], random_bytes)
    noise *= scale[:, None]
    return on_grid(vectors, noise, grid)


def on_grid(
    vectors: npt.NDArray[np.floating], noise: npt.NDArray[np.float64], grid: float | npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Return the sum of vectors and noise rounded to the grid, (n, d); the noise is overwritten.

    Args:
        vectors: (n, d).
        noise: (n, d).
        grid: spacing of released numbers, a power of two: one for all, or (n, 1).
    """
    noise += vectors
    noise /= grid
    np.rint(noise, out=noise)
    noise *= grid
    return noise + 0.0  # -0.0 would reveal that a number was rounded from below


def widened(grid: float, factors: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the grids (t,) for noise that is larger by factors (t,); relative to the noise, they are equally fine."""
    return np.ldexp(grid, np.frexp(factors)[1] - 1)


def noisy_table(
    vectors: Floats, scale: npt.NDArray[np.float64], grid: float, sampler: Sampler = "system"
) -> tuple[Floats, bool]:
    """Return vectors with noise on the grid as float32, (n, d), computed in little memory.

    Also return whether float32 represents every number exactly. If not, the cast is one more rounding of released
    numbers, which is post-processing.

    Args:
        vectors: (n, d).
        scale: (n,) standard deviation of each word's noise.
        grid: spacing of released numbers.
        sampler: "system": normal numbers from the operating system's randomness; "opendp": OpenDP's exact sampler.

    Raises:
        InputError: if the noise of a word is too large for float32.
    """
    if not (scale < _LARGEST_SCALE).all():
        raise InputError(f"every word needs noise of a scale below {_LARGEST_SCALE:g}: choose a smaller sensitivity")
    table = np.empty(vectors.shape, dtype=np.float32)
    exact = []

    def work(block: slice) -> None:
        if sampler == "opendp":
            noisy = noisy_by_opendp(vectors[block], scale[block], grid)
        else:
            noisy = noisy_on_grid(vectors[block], scale[block], grid, os.urandom)
        table[block] = noisy
        exact.append(bool((table[block] == noisy).all()))

    for_blocks(work, len(vectors), _ROWS, "noise")
    return table, all(exact)


@dataclass(frozen=True, eq=False)
class GridNoise:
    """Noise for publication, for the words of an embedding: from the operating system, on one grid, without a seed.

    Attributes:
        law: law of the noise, fitted to the embedding.
        scale: (n,) of each word's noise, in the unit of the law.
        grid: spacing of released numbers.

    Raises:
        InputError: if a word would get no noise, or the grid is not usable.
    """

    law: NoiseLaw
    scale: npt.NDArray[np.float64]
    grid: float

    def __post_init__(self) -> None:
        if self.scale.ndim != 1 or not ((self.scale > 0) & (self.scale < _LARGEST_SCALE)).all():
            raise InputError(f"every word needs noise of a scale above 0 and below {_LARGEST_SCALE:g}")
        if not 0 < self.grid < np.inf:
            raise InputError(f"the grid must be above 0 and finite, not {self.grid!r}")

    def __len__(self) -> int:
        return len(self.scale)

    @property
    def assumed(self) -> str:
        """What the bound on the sampler's deviation assumes; empty if there is no such bound."""
        return self.law.assumed

    def arrays(self) -> dict[str, npt.NDArray[np.float64]]:
        """Return the arrays that the noise holds, by name."""
        return {"scale": self.scale, **self.law.arrays()}

    def added_to(self, vectors: Floats, rows: Ids, factors: npt.NDArray[np.float64]) -> Floats:
        """Return the vectors of some rows, each with independent noise, (t, d), rounded to the grid.

        Noise that is k times larger is rounded to a grid that is coarser by the largest power of two up to k: the
        sampler's addition to epsilon grows with the fineness of the grid relative to the noise. If float32 cannot
        represent a number of the grid, the cast is one more rounding, which is post-processing.

        Args:
            vectors: (n, d) of all words.
            rows: (t,) the word of each token.
            factors: (t,) ratio of each token's noise to its word's scale.
        """
        out = np.empty((len(rows), vectors.shape[1]), dtype=np.float32)

        def work(block: slice) -> None:
            noise = self.law.standard(len(rows[block]), vectors.shape[1], os.urandom)
            noise *= (self.scale[rows[block]] * factors[block])[:, None]
            out[block] = on_grid(vectors[rows[block]], noise, widened(self.grid, factors[block])[:, None])

        if len(rows) <= _ROWS:
            work(slice(0, len(rows)))  # starting threads would cost more than the work
        else:
            for_blocks(work, len(rows), _ROWS, "noise of tokens")
        return out
