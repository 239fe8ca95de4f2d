"""The matrix that turns word vectors into sentence vectors."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from nadp.embeddings import Ids
from nadp.known_words import KnownWords

if TYPE_CHECKING:
    from scipy.sparse import csr_array


def centroids(texts: Sequence[Sequence[str]], known: KnownWords) -> "tuple[csr_array, Ids]":
    """Return the matrix S (t, m) whose product with the vectors of m rows is the centroid of each text's known words.

    A word that occurs several times counts several times. A text without a known word has a row of zeros, so its
    centroid is the zero vector.

    Args:
        texts: tokens of each of t texts.
        known: the words that have vectors.

    Returns:
        The matrix, and the rows (m,) of the embedding to which its columns belong.
    """
    from scipy.sparse import csr_array  # noqa: PLC0415 - slow to import

    rows = [known.rows(text) for text in texts]
    rows = [text_rows[text_rows >= 0] for text_rows in rows]
    lengths = np.array([len(text_rows) for text_rows in rows])
    used_rows, columns = np.unique(np.concatenate([*rows, np.empty(0, dtype=np.int64)]), return_inverse=True)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    shares = np.repeat(1 / lengths.clip(min=1), lengths)
    matrix = csr_array((shares, columns, starts), shape=(len(texts), len(used_rows)))
    matrix.sum_duplicates()
    return matrix, used_rows
