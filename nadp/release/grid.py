"""The grid that released numbers lie on: the same for all words, so that no number tells its word by its last bits."""

import numpy as np
import numpy.typing as npt

from nadp.embeddings import Floats
from nadp.errors import InputError
from nadp.release.noise import Bytes, standard_normal

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
    return float(2.0 ** (np.floor(np.log2(scale.min())) - _FINENESS))


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
    noise += vectors
    noise /= grid
    np.rint(noise, out=noise)
    noise *= grid
    return noise + 0.0  # -0.0 would tell that a number was rounded from below
