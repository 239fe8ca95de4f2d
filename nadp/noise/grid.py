"""The grid that released numbers lie on: the same for all words, so that no number tells its word by its last bits."""

import os
from typing import Literal

import numpy as np
import numpy.typing as npt

from nadp.embeddings import Floats
from nadp.errors import InputError
from nadp.noise.normal import standard_normal
from nadp.noise.opendp import noisy_by_opendp
from nadp.noise.uniform import Bytes
from nadp.runtime.parallel import for_blocks

Sampler = Literal["system", "opendp"]

_ROWS = 4096  # that are drawn at a time
_FINENESS = 10  # bits below the least noise: what rounding adds to it is less than a millionth of its variance


def grid_of(scale: npt.NDArray[np.float64]) -> float:
    """Return the distance of two numbers of the grid: the power of two at or below 2^-10 of the least noise.

    Args:
        scale: (n,) standard deviation of each word's noise, above 0.

    Raises:
        InputError: if a word would get no noise, or noise that is not finite.
    """
    if not len(scale) or not (np.isfinite(scale) & (scale >= np.finfo(np.float64).tiny)).all():
        raise InputError("a release needs noise above 0 and finite for every word")
    return float(np.ldexp(1.0, int(np.frexp(scale.min())[1]) - 1 - _FINENESS))


def noisy_on_grid(
    vectors: Floats, scale: npt.NDArray[np.float64], grid: float, random_bytes: Bytes
) -> npt.NDArray[np.float64]:
    """Return x + scale z rounded to the grid, (n, d), z fresh standard normal numbers of the given randomness.

    The sum is made and rounded in float64, so nothing of x or z is left but what the grid shows.

    Args:
        vectors: (n, d).
        scale: (n,) standard deviation of each word's noise.
        grid: distance of two released numbers.
        random_bytes: where randomness comes from.
    """
    noise = standard_normal(vectors.size, random_bytes).reshape(vectors.shape)
    noise *= scale[:, None]
    return on_grid(vectors, noise, grid)


def on_grid(
    vectors: npt.NDArray[np.floating], noise: npt.NDArray[np.float64], grid: float | npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Return the sum of vectors and noise rounded to the grid, (n, d); the noise is overwritten.

    Args:
        vectors: (n, d).
        noise: (n, d).
        grid: distance of two numbers that come out, a power of two: one for all, or (n, 1).
    """
    noise += vectors
    noise /= grid
    np.rint(noise, out=noise)
    noise *= grid
    return noise + 0.0  # -0.0 would tell that a number was rounded from below


def noisy_table(
    vectors: Floats, scale: npt.NDArray[np.float64], grid: float, sampler: Sampler = "system"
) -> tuple[Floats, bool]:
    """Return vectors with noise on the grid as float32, (n, d), made in little memory.

    Also return whether float32 holds every number exactly. Where it does not, the cast is one more rounding of what is
    on the grid, hence tells nothing new of the vectors.

    Args:
        vectors: (n, d).
        scale: (n,) standard deviation of each word's noise.
        grid: distance of two released numbers.
        sampler: "system": normal numbers from the operating system's randomness; "opendp": OpenDP's exact sampler.
    """
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
