"""Looking words up as benchmarks and texts write them."""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from nadp.embeddings import Embeddings, Ids
from nadp.space import EmbeddingSpace


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


def both_cases(words: Iterable[str]) -> set[str]:
    """Return words and their lower-case forms: what has to be kept of an embedding, whatever its case."""
    words = set(words)
    return words | {word.lower() for word in words}
