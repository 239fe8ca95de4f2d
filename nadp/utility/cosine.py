"""Cosines of pairs of vectors."""

import numpy as np
import numpy.typing as npt


def unit_rows(vectors: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    """Return rows (..., d) of length 1 in float64; a zero row stays zero, so its cosine with anything is 0."""
    rows = vectors.astype(np.float64)
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)


def cosines(one: npt.NDArray[np.floating], other: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    """Return the cosine of each row of (m, d) with the same row of (m, d), (m,); 0 if either is zero.

    Equal rows have a cosine of exactly 1, so that ties between such pairs stay ties.
    """
    a, b = one.astype(np.float64), other.astype(np.float64)
    product, first, second = (np.einsum("ij,ij->i", x, y) for x, y in ((a, b), (a, a), (b, b)))
    lengths = np.sqrt(first * second)
    return np.divide(product, lengths, out=np.zeros_like(lengths), where=lengths > 0)
