"""OpenDP's exact discrete Gaussian as the sampler of a release: much slower, and free of floating-point error."""

import math

import numpy as np
import numpy.typing as npt

from nadp.embeddings import Floats
from nadp.runtime.optional import optional

_FINER = 20  # bits below our grid: OpenDP rounds vectors before adding noise, which increases their distances


def noisy_by_opendp(vectors: Floats, scale: npt.NDArray[np.float64], grid: float) -> npt.NDArray[np.float64]:
    """Return vectors with OpenDP's discrete Gaussian noise, rounded to the grid, (n, d).

    OpenDP draws on a grid 2^-20 times as fine; rounding to ours is post-processing.

    Args:
        vectors: (n, d).
        scale: (n,) standard deviation of each word's noise.
        grid: spacing of released numbers, a power of two.

    Raises:
        InputError: if the package opendp is not installed.
    """
    with optional("opendp", "sampler='opendp'"):
        import opendp.prelude as dp  # noqa: PLC0415 - optional
    dp.enable_features("contrib")
    fineness = round(math.log2(grid)) - _FINER
    noisy = np.empty(vectors.shape)
    for word_scale in np.unique(scale):
        rows = scale == word_scale
        numbers = vectors[rows].astype(np.float64).ravel().tolist()
        domain = dp.vector_domain(dp.atom_domain(T=float, nan=False), size=len(numbers))
        draw = dp.m.make_gaussian(domain, dp.l2_distance(T=float), scale=float(word_scale), k=fineness)
        noisy[rows] = np.reshape(draw(numbers), (-1, vectors.shape[1]))
    return np.rint(noisy / grid) * grid + 0.0
