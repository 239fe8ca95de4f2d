"""Cosines of pairs of vectors."""

import numpy as np
import numpy.typing as npt


def unit_rows(vectors: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    """Return rows (..., d) of length 1 in float64; a zero row stays zero, so its cosine with anything is 0."""
    rows = vectors.astype(np.float64)
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)


def cosines(one: npt.NDArray[np.floating], other: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    """Return the cosine of each row of (m, d) with the same row of (m, d), (m,)."""
    return np.einsum("ij,ij->i", unit_rows(one), unit_rows(other))
