"""Words and their vectors, and which words share one vector."""

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from unicodedata import is_normalized, normalize

import numpy as np
import numpy.typing as npt

from nadp.errors import InputError
from nadp.kernels import find_first_equal, hash_rows

Words = np.ndarray[tuple[int], np.dtypes.StringDType]
Floats = npt.NDArray[np.float32]
Ids = npt.NDArray[np.int64]
_CONTROL = re.compile("[\t\n\r\0]")  # in a text file, these would split a word


@dataclass(frozen=True, eq=False, init=False)
class Embeddings:
    """A static word embedding.

    Args:
        words: n distinct words; none is empty or contains a tab, a newline, a carriage return or a zero byte.
        vectors: (n, d) finite numbers, kept as float32 in C order.
        counts: counts of the reader (lines, repeated words left out, ...).

    Raises:
        InputError: if the shapes disagree, a word repeats or is not a valid word, or a number is not finite.
    """

    words: Words
    vectors: Floats
    counts: dict[str, int]

    def __init__(self, words: Iterable[str], vectors: npt.ArrayLike, counts: dict[str, int] | None = None) -> None:
        object.__setattr__(self, "words", as_words(words))
        with np.errstate(over="ignore"):  # values too large for float32 are refused below
            object.__setattr__(self, "vectors", np.ascontiguousarray(vectors, dtype=np.float32))
        object.__setattr__(self, "counts", dict(counts or {}))
        if self.vectors.ndim != 2 or len(self.words) != len(self.vectors):
            raise InputError(f"{len(self.words)} words do not fit vectors of shape {self.vectors.shape}")
        if not len(self.words) or not self.vectors.shape[1]:
            raise InputError("an embedding needs at least one word and one dimension")
        if not np.isfinite([self.vectors.min(), self.vectors.max()]).all():  # min and max allocate no array
            word = self.words[np.isfinite(self.vectors).all(axis=1).argmin()]
            raise InputError(f"the vector of {str(word)!r} holds a number that is not finite")
        distinct = set(self.words)  # not a list first: there may be millions of words
        if len(distinct) != len(self.words):
            raise InputError(f"the word {self._first_repeat()!r} occurs twice")
        if "" in distinct:
            raise InputError(f"the word in row {self.row_of['']} is empty")
        if _CONTROL.search("".join(distinct)):
            word = next(word for word in distinct if _CONTROL.search(word))
            raise InputError(f"the word {word!r} holds a tab, a newline, a carriage return or a zero byte")

    def __len__(self) -> int:
        return len(self.words)

    @property
    def dimension(self) -> int:
        """Number of components of a vector, d."""
        return self.vectors.shape[1]

    @cached_property
    def row_of(self) -> dict[str, int]:
        """The row of each word."""
        return {word: row for row, word in enumerate(self.words.tolist())}

    @cached_property
    def _row_of_composed(self) -> dict[str, int]:
        """The first row of each word in Unicode's composed form."""
        words: list[str] = self.words.tolist()
        if all(map(_is_composed, words)):
            return self.row_of
        rows: dict[str, int] = {}
        for row, word in enumerate(words):
            rows.setdefault(composed(word), row)
        return rows

    def rows(self, words: Iterable[str]) -> Ids:
        """Return the row of each word: as spelled, else composed (NFC), else in lower case; -1 if it is unknown.

        Both the table and the query are composed, so the Unicode form of either does not matter.
        """
        return np.fromiter((self._row(word) for word in words), dtype=np.int64)

    def _row(self, word: str) -> int:
        row = self.row_of.get(word, -1)
        if row < 0:
            composed_word = composed(word)
            row = self._row_of_composed.get(composed_word, -1)
            if row < 0:
                row = self._row_of_composed.get(composed(composed_word.lower()), -1)
        return row

    def subset(self, rows: Sequence[int] | Ids) -> "Embeddings":
        """Return the words of some rows, in the given order; without a copy if these are all rows."""
        rows = np.asarray(rows, dtype=np.int64)
        if np.array_equal(rows, np.arange(len(self))):
            return self
        return Embeddings(self.words[rows], self.vectors[rows], dict(self.counts))

    def with_vectors(self, vectors: Floats) -> "Embeddings":
        """Return the same words with other finite vectors (n, d) in C order.

        It shares the words and does not check them again: millions of words would need as much memory as some vectors.
        """
        embeddings = object.__new__(Embeddings)
        vars(embeddings).update(words=self.words, vectors=vectors, counts={})
        return embeddings

    @cached_property
    def identity(self) -> str:
        """SHA-256 of the words and vectors, independent of their order."""
        digest = hashlib.sha256(f"{len(self)} {self.dimension}\n".encode())
        for row in np.argsort(self.words, kind="stable"):  # a list of the words would take much memory
            word = str(self.words[row]).encode()
            numbers = (self.vectors[row] + np.float32(0)).astype("<f4")  # -0.0 becomes 0.0
            digest.update(len(word).to_bytes(8, "little") + word + numbers.tobytes())
        return digest.hexdigest()

    @cached_property
    def points(self) -> "Points":
        """The distinct vectors: words with equal vectors are one point of the space."""
        return distinct_points(self.vectors)

    @cached_property
    def covariance(self) -> npt.NDArray[np.float64]:
        """(d, d) covariance of the words' vectors."""
        return np.atleast_2d(np.cov(self.vectors, rowvar=False, dtype=np.float64))

    def _first_repeat(self) -> str:
        words: list[str] = self.words.tolist()
        return next(word for row, word in enumerate(words) if self.row_of[word] != row)


def composed(word: str) -> str:
    """Return a word in Unicode's composed form (NFC): e and an accent become one character."""
    return normalize("NFC", word)


def _is_composed(word: str) -> bool:
    return is_normalized("NFC", word)


def as_words(words: Iterable[str]) -> Words:
    """Return words as an array."""
    array: Any = np.array(list(words), dtype=np.dtypes.StringDType())
    return array


@dataclass(frozen=True, eq=False)
class Points:
    """The distinct vectors of an embedding, in the order of their first words.

    Attributes:
        of_word: (n,) the point of each word.
        first_word: (p,) the first word of each point.
        vectors: (p, d) float32.
    """

    of_word: Ids
    first_word: Ids
    vectors: Floats

    def __len__(self) -> int:
        return len(self.first_word)

    @cached_property
    def words_at(self) -> Ids:
        """(p,) number of words that share each point."""
        return np.bincount(self.of_word, minlength=len(self))


def distinct_points(vectors: Floats) -> Points:
    """Return the classes of equal rows of (n, d) vectors; +0.0 and -0.0 count as equal."""
    hashes, first = np.empty(len(vectors), dtype=np.uint64), np.empty(len(vectors), dtype=np.int64)
    hash_rows(vectors.view(np.uint32), hashes)
    find_first_equal(vectors, hashes, np.argsort(hashes, kind="stable"), first)
    is_first = first == np.arange(len(first))
    first_word = np.flatnonzero(is_first)
    distinct = vectors if len(first_word) == len(vectors) else vectors[first_word]
    return Points((np.cumsum(is_first) - 1)[first], first_word, distinct)
