"""Which words of a file are kept, which are left out and counted, and when the file is refused."""

import re
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt

from nadp.embeddings import Embeddings
from nadp.errors import FormatError, InputError

MOST_DIMENSIONS = 1 << 16
"""Largest supported dimension."""
SAMPLE = 1000
"""Number of words to check for attached numbers."""
REPEATED, UNUSABLE, UNWANTED, BLANK = "repeated words", "unusable words", "words not wanted", "blank lines"
_FEW, _SHARE = 10, 0.01  # how many words may be unusable: this number, or this share
_BLANK, _CONTROL = re.compile(rb"^ *$", re.MULTILINE), re.compile(rb"[\t\r\0]")
_TIMES = 10  # how far an attached number may exceed all numbers of a small table
# Not dog.n.01, ticket-12 or -0.5
_ATTACHED = re.compile(r"[^\d.+-]([+-]?(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+))$")
_ATTACHED_WHOLE = re.compile(r"[,;|=\u00a0\u2000-\u200a\u3000]([+-]?\d+)$")  # in a table of whole numbers
_NUMBER, _SHOWN = re.compile(r"[+-]?\d+(\.\d+)?"), 40


def flaw(field: bytes) -> str:
    """Return why some bytes are not a word; "" if they are."""
    if not field.strip(b" "):
        return "is empty"
    if b"\n" in field or _CONTROL.search(field):
        return "holds a tab, a newline, a carriage return or a zero byte"
    try:
        field.decode()
    except UnicodeDecodeError:
        return "is not UTF-8"
    return ""


def flaws(fields: Sequence[bytes]) -> dict[int, str]:
    """Return the rows of fields that are not words, each with its flaw."""
    joined = b"\n".join(fields)
    if not _BLANK.search(joined) and joined.count(b"\n") == len(fields) - 1 and not _CONTROL.search(joined):
        with suppress(UnicodeDecodeError):
            joined.decode()
            return {}
    return {row: reason for row, field in enumerate(fields) if (reason := flaw(field))}


class Kept:
    """The words to keep of a file: the first `limit` words and the wanted ones; all if neither is given.

    Args:
        words: words to keep wherever they occur.
        limit: number of words to keep from the top.
        strict: whether repeated and unusable words and blank lines are refused; otherwise they are left out and
            counted.
        exact: whether the kept numbers are also collected as float64.

    Attributes:
        exact: the kept vectors by word, as float64, if these are collected and the file may hold more than float32.

    Raises:
        InputError: if limit is negative.
    """

    def __init__(
        self,
        words: Iterable[str] | None = None,
        limit: int | None = None,
        *,
        strict: bool = False,
        exact: bool = False,
    ) -> None:
        if limit is not None and limit < 0:
            raise InputError(f"limit must be 0 or more, not {limit}")
        self.top = sys.maxsize if words is None and limit is None else (limit or 0)
        self.wanted = set[str]() if words is None else {str(word) for word in words}
        self.strict = strict
        self.exact: dict[str, npt.NDArray[np.float64]] | None = {} if exact else None

    def of(self, words: Sequence[bytes], vectors: npt.NDArray[Any], name: str) -> Embeddings:
        """Return the kept words of a table; a repeated word keeps its first vector.

        Args:
            words: n of them, in UTF-8.
            vectors: (n, d).
            name: name of the file.

        Raises:
            FormatError: if the table does not hold words and real, finite numbers.
            InputError: if nothing is kept.
        """
        if vectors.ndim != 2 or vectors.dtype.kind not in "fiu":
            raise FormatError(
                f"{name}: vectors of shape {vectors.shape} and type {vectors.dtype} are not a table of numbers"
            )
        if len(words) != len(vectors):
            raise FormatError(f"{name}: {len(words)} words do not fit vectors of shape {vectors.shape}")
        refuse_dimension(vectors.shape[1], name)
        rows, counts = self._rows(words, name)
        refuse_unusable(counts, name)
        if not len(rows):
            raise InputError(f"{name} holds none of the requested words")
        try:
            chosen = vectors if len(rows) == len(vectors) else vectors[rows]  # no copy of all rows: they ascend
            embeddings = Embeddings([words[row].decode() for row in rows], chosen, counts)
        except InputError as error:
            raise FormatError(f"{name}: {error}") from error
        refuse_attached(embeddings.words[:SAMPLE].tolist(), embeddings.vectors[:SAMPLE], name)
        if self.exact is not None and not np.can_cast(vectors.dtype, np.float32):
            self.exact.update(zip(embeddings.words.tolist(), chosen.astype(np.float64), strict=True))
        return embeddings

    def _rows(self, words: Sequence[bytes], name: str) -> tuple[npt.NDArray[np.int64], dict[str, int]]:
        """Return the rows to keep, and counts up to the last relevant row."""
        row_of_word: dict[bytes, int] = {}
        wanted_bytes = {word.encode(errors="surrogatepass") for word in self.wanted}
        omitted, missing, lines = Counter[str](), set(wanted_bytes), 0
        flaw_of_row = flaws(words)
        for row, word in enumerate(words):
            if len(row_of_word) >= self.top and not missing:
                break
            lines = row + 1
            if row in flaw_of_row:
                self.refuse(f"{name}: word {row + 1}, {word[:80]!r}, {flaw_of_row[row]}")
                omitted[UNUSABLE] += 1
            elif len(row_of_word) >= self.top and word not in wanted_bytes:
                omitted[UNWANTED] += 1
            elif word in row_of_word:
                self.refuse(f"{name}: word {row + 1}, {word[:80]!r}, is word {row_of_word[word] + 1} again")
                omitted[REPEATED] += 1
            else:
                row_of_word[word] = row
                missing.discard(word)
        counts = {"lines": lines, **omitted, "words not found": len(missing)}
        return np.fromiter(row_of_word.values(), dtype=np.int64, count=len(row_of_word)), counts

    def refuse(self, reason: str) -> None:
        """Under `strict`, refuse words that are otherwise left out.

        Raises:
            FormatError: with the reason, if `strict` is set.
        """
        if self.strict:
            raise FormatError(f"{reason}: fix the file, or read it without `strict` to leave such words out")


def refuse_unusable(counts: dict[str, int], name: str) -> None:
    """Refuse a file with more than a few unusable words: it is damaged, or in another encoding.

    Raises:
        FormatError: if more than 10 words and more than 1 % of the lines are unusable.
    """
    if counts.get(UNUSABLE, 0) > max(_FEW, _SHARE * counts["lines"]):
        raise FormatError(
            f"{name}: {counts[UNUSABLE]} of {counts['lines']} words are empty, not UTF-8, or hold tabs or other "
            "control characters: the file is damaged, or in another encoding; convert it first"
        )


def refuse_dimension(dimension: int, name: str) -> None:
    """Refuse a dimension that is larger than any real embedding's.

    Raises:
        FormatError: if a word has more than 65,536 numbers.
    """
    if dimension > MOST_DIMENSIONS:
        raise FormatError(f"{name} has {dimension} numbers per word: at most {MOST_DIMENSIONS} are supported")


def refuse_attached(words: Sequence[str], vectors: npt.NDArray[Any], name: str) -> None:
    """Refuse words if most of them end with a number: the first column was read as part of the word.

    Args:
        words: n of them.
        vectors: (n, d) their numbers; a number that ends a word counts only if it is no larger than 10 times these.
        name: name of the file.

    Raises:
        FormatError: if more than half of the words end with a number.
    """
    largest = _TIMES * float(np.abs(vectors).max(initial=0))
    all_integers = (vectors == np.rint(vectors)).all()
    matches = [(word, _ATTACHED.search(word) or (all_integers and _ATTACHED_WHOLE.search(word))) for word in words]
    attached = [word for word, number in matches if number and abs(float(number[1])) <= largest]
    if 2 * len(attached) > len(words):
        word = _NUMBER.split(attached[0])[0][:_SHOWN]  # without the numbers, which may be private
        raise FormatError(
            f"{name}: words end with a number, such as {word!r}: the first number of a line is not separated "
            "from the word by a space or a tab, or the header names too few numbers"
        )
