"""Word look-up for the spellings of benchmarks and texts."""

from collections.abc import Iterable
from unicodedata import normalize

import numpy as np
import numpy.typing as npt

from nadp.embeddings import Embeddings, Ids, composed
from nadp.space import EmbeddingSpace


class KnownWords:
    """The words of a release: the rows of an embedding without the words that are left out.

    Args:
        embeddings: n words.
        released: (n,) whether each word counts as known; default all.
    """

    def __init__(self, embeddings: Embeddings, released: npt.NDArray[np.bool_] | None = None) -> None:
        self.embeddings = embeddings
        self.released = np.ones(len(embeddings), dtype=bool) if released is None else released

    @classmethod
    def of(cls, space: EmbeddingSpace) -> "KnownWords":
        """Return the words that are released from a space."""
        return cls(space.embeddings, space.released)

    def rows(self, words: Iterable[str]) -> Ids:
        """Return the row of each word as Embeddings.rows looks it up; -1 where it is not known."""
        return self._known(self.embeddings.rows(words))

    def rows_of_ids(self, ids: Iterable[str]) -> Ids:
        """Return the row of each id, by exact match only; -1 where it is unknown."""
        return self._known(np.array([self.embeddings.row_of.get(word_id, -1) for word_id in ids], dtype=np.int64))

    def _known(self, rows: Ids) -> Ids:
        return np.where((rows >= 0) & self.released[rows], rows, -1)


def looked_up(words: Iterable[str]) -> set[str]:
    """Return all forms under which a table may list the words: each case and Unicode composition to keep."""
    forms = set(words)
    forms |= {composed(word).lower() for word in forms}
    return forms | {normalize(form, word) for word in forms if not word.isascii() for form in ("NFC", "NFD")}
