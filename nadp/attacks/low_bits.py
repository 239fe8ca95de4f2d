"""The floating-point attack: do the low-order bits of a release identify its words (Mironov 2012)?

Noise consists of floating-point numbers, so x + sigma n cannot take every value: rounding leaves gaps, which differ for
each x. A word is identified if its own vector could have produced the released vector, and no other word's vector could
have. A release that was rounded to a grid has no such traces.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Floating = npt.NDArray[np.floating]
_TOGETHER = 16  # components that are tested together
_STEPS = 3  # number of adjacent values of n that are tried on each side


def reachable(
    candidates: Floating, noisy: Floating, scale: float | None, dtype: type[np.floating]
) -> npt.NDArray[np.bool_]:
    """Return which candidates x could have produced a vector as x + scale * n in a floating-point type, (c,).

    Args:
        candidates: (c, d) vectors of words.
        noisy: (d,) a released vector.
        scale: the noise scale; None if unknown: then only the sum is tested, not the product.
        dtype: the type of the arithmetic, np.float32 or np.float64.
    """
    factor = dtype(1 if scale is None else scale)
    remaining = np.arange(len(candidates))
    for start in range(0, candidates.shape[1], _TOGETHER):  # the first components rule most candidates out
        components = slice(start, start + _TOGETHER)
        remaining = remaining[
            _possible(candidates[remaining, components].astype(dtype), noisy[components].astype(dtype), factor).all(
                axis=1
            )
        ]
    is_reachable = np.zeros(len(candidates), dtype=bool)
    is_reachable[remaining] = True
    return is_reachable


def _possible(x: Floating, y: Floating, factor: np.floating) -> npt.NDArray[np.bool_]:
    """Return for each component (c, d) whether some n gives x + factor * n == y."""
    dtype = type(factor)
    below = above = (y - x) / factor
    possible = x + factor * below == y
    for _ in range(_STEPS):
        below, above = np.nextafter(below, dtype(-np.inf)), np.nextafter(above, dtype(np.inf))
        possible |= (x + factor * below == y) | (x + factor * above == y)
    return possible


def given_away(  # noqa: PLR0913 - the inputs of an attack
    vectors: Floating,
    noisy: Floating,
    scale: npt.NDArray[np.float64] | None,
    words: npt.NDArray[np.int64],
    candidates: npt.NDArray[np.int64],
    *,
    dtypes: Sequence[type[np.floating]] = (np.float32, np.float64),
) -> npt.NDArray[np.bool_]:
    """Return which words (q,) are the only candidates whose vectors could have produced their released vectors.

    Words without noise are not counted here: the exposure counts them.

    Args:
        vectors: (n, d) vectors of all words.
        noisy: (n, d) released vectors.
        scale: (n,) noise scale of each word; None if unknown.
        words: (q,) rows of the tested words.
        candidates: (c,) rows of the words that each is compared with.
        dtypes: types of arithmetic that are tried.
    """
    identified = np.zeros(len(words), dtype=bool)
    for i, row in enumerate(words):
        other_vectors = vectors[candidates[(vectors[candidates] != vectors[row]).any(axis=1)]]
        known_scale = None if scale is None else float(scale[row])
        if known_scale == 0 or not len(other_vectors) or (vectors[row] == noisy[row]).all():
            continue
        identified[i] = any(
            reachable(vectors[row, None], noisy[row], known_scale, dtype)[0]
            and not reachable(other_vectors, noisy[row], known_scale, dtype).any()
            for dtype in dtypes
        )
    return identified
