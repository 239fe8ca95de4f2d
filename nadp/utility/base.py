"""What all evaluations of utility share: they look at some rows of an embedding through a linear map, and score that.

Since the map is linear, the features of x + c n are those of x and c times those of n: the map is applied to a base
draw once and serves every amount of noise.
"""

from collections.abc import Iterable
from typing import Protocol

import numpy as np
import numpy.typing as npt

from nadp.embeddings import Embeddings, Floats, Ids
from nadp.scores import Score
from nadp.space import EmbeddingSpace


class Evaluation(Protocol):
    """A family of benchmarks, prepared for one vocabulary.

    Attributes:
        rows: (m,) the rows of the embedding that are read, in ascending order.
    """

    rows: Ids

    def features(self, vectors: Floats) -> Floats:
        """Return what is scored of the vectors (m, d) of `rows`, a linear function of them, (f, d)."""
        ...

    def scores(self, features: Floats) -> list[Score]:
        """Return the scores of some features (f, d)."""
        ...


class KnownWords:
    """The words that a release holds: rows of an embedding, less the words that are left out.

    Args:
        embeddings: n words.
        released: (n,) which of them count as known; default all.
    """

    def __init__(self, embeddings: Embeddings, released: npt.NDArray[np.bool_] | None = None) -> None:
        self._embeddings = embeddings
        self._released = np.ones(len(embeddings), dtype=bool) if released is None else released

    @classmethod
    def of(cls, space: EmbeddingSpace) -> "KnownWords":
        """Return the words that are released from a space."""
        return cls(space.embeddings, space.released)

    def rows(self, words: Iterable[str]) -> Ids:
        """Return the row of each word, as it is or else in lower case; -1 where it is not known."""
        rows = self._embeddings.rows(words)
        return np.where((rows >= 0) & self._released[rows], rows, -1)


class WordRows:
    """The part of an evaluation of single words: its features are their vectors."""

    rows: Ids

    def features(self, vectors: Floats) -> Floats:
        """Return the vectors (m, d) of `rows` themselves."""
        return vectors


def compact(*tables: Ids) -> tuple[Ids, list[Ids]]:
    """Return the distinct rows in some tables of rows, and the tables as positions among them."""
    rows = np.unique(np.concatenate([table.ravel() for table in tables])) if tables else np.empty(0, dtype=np.int64)
    return rows.astype(np.int64), [np.searchsorted(rows, table) for table in tables]


def both_cases(words: Iterable[str]) -> set[str]:
    """Return words and their lower-case forms: what has to be kept of an embedding, whatever its case."""
    words = set(words)
    return words | {word.lower() for word in words}
