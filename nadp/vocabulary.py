"""The kept words: the most frequent words, and the words that the benchmarks need."""

import math
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from nadp.embeddings import Embeddings, Words, composed
from nadp.errors import FormatError, InputError
from nadp.files import read_embeddings
from nadp.files.words import REPEATED, UNUSABLE

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class WordCounts:
    """Why the words of a vocabulary were kept.

    Attributes:
        frequent: number of the most frequent words.
        needed: number of words that the benchmarks need.
        added: number of needed words that are not among the most frequent.
        unknown: number of benchmark words that the embedding lacks, also in lower case.
        needed_by: number of words that each benchmark needs.
        of_the_file: the reader's counts: lines, and words that it left out.
    """

    frequent: int
    needed: int
    added: int
    unknown: int
    needed_by: dict[str, int]
    of_the_file: dict[str, int]

    @property
    def left_out(self) -> str:
        """What the reader left out, for messages; "" if nothing."""
        counts = {reason: self.of_the_file.get(reason, 0) for reason in (REPEATED, UNUSABLE)}
        return ", ".join(
            f"{count:,} {reason if count > 1 else reason[:-1]}" for reason, count in counts.items() if count
        )


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The n kept words in the order of the file, and why they were kept."""

    embeddings: Embeddings
    counts: WordCounts


def frequent_and_needed(  # noqa: PLR0913 - how the file is read
    path: str | Path,
    *,
    size: int,
    needed: Mapping[str, AbstractSet[str]],
    frequencies: str | Path | None = None,
    member: str | None = None,
    strict: bool = False,
    stored: bool = False,
) -> Vocabulary:
    """Return the `size` most frequent words of an embedding file and the words that the benchmarks need.

    Args:
        path: the file; see read_embeddings.
        size: number of most frequent words.
        needed: for each benchmark, its words in all forms of look-up (see known_words.looked_up).
        frequencies: a list of words, the most frequent first (see read_frequencies); default the file's own order.
        member: file to read from a zip archive that holds several.
        strict: refuse repeated and unusable words instead of leaving them out.
        stored: read the rows of a static model as they are stored.

    Raises:
        InputError: if size is negative, or the file holds none of the words.
    """
    if size < 0:
        raise InputError(f"size must be 0 or more, not {size}")
    words = set().union(*needed.values())
    if frequencies is None:
        embeddings = read_embeddings(path, words=words, limit=size, member=member, strict=strict, stored=stored)
        frequent = set(embeddings.words[:size].tolist())
    else:
        listed_words = read_frequencies(frequencies)
        embeddings = read_embeddings(path, words=words.union(listed_words), member=member, strict=strict, stored=stored)
        frequent = set([word for word in listed_words if word in embeddings.row_of][:size])
        kept_rows = [row for row, word in enumerate(embeddings.words.tolist()) if word in frequent or word in words]
        if not kept_rows:
            raise InputError(f"{path} holds none of the words of {frequencies}")
        embeddings = embeddings.subset(kept_rows)
    available = set(embeddings.words.tolist())
    listing = sorted(words)
    unknown = {composed(listing[i]).lower() for i in np.flatnonzero(embeddings.rows(listing) < 0)}
    counts = WordCounts(
        frequent=len(frequent & available),
        needed=len(words & available),
        added=len(available - frequent),
        unknown=len(unknown),
        needed_by={name: len(benchmark_words & available) for name, benchmark_words in needed.items()},
        of_the_file=dict(embeddings.counts),
    )
    return Vocabulary(embeddings, counts)


def read_frequencies(path: str | Path) -> list[str]:
    """Return the words of a frequency list, the most frequent first.

    A line holds a word, or a word and its count after a space or tab. Lines with counts are sorted by count; words of
    equal count keep the order of the file. If a word repeats, its first line counts.

    Raises:
        InputError: if the file is missing or empty.
        FormatError: if a count is not a number; the message names the line.
    """
    counts = read_counts(path)
    words = list(counts)
    order = np.argsort(-np.array([counts[word] for word in words]), kind="stable")
    return [words[i] for i in order]


def read_counts(path: str | Path) -> dict[str, float]:
    """Return the words of a frequency list with their counts, 0 for a word without one; see read_frequencies.

    Raises:
        InputError: if the file is missing or empty.
        FormatError: if a count is not a number; the message names the line.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"no such file: {path}")
    counts: dict[str, float] = {}
    for number, line in enumerate(path.read_bytes().removeprefix(_BOM).split(b"\n"), start=1):
        try:
            fields = line.decode().replace("\t", " ").strip(" \r").rsplit(" ", 1)
            if fields[0]:
                counts.setdefault(fields[0], _count(fields[1]) if len(fields) > 1 else 0.0)
        except ValueError as error:
            raise FormatError(
                f"{path}, line {number}: {line[:60]!r} is not a word, or a word and its count ({error})"
            ) from error
    if not counts:
        raise InputError(f"{path} holds no words")
    return counts


def frequencies_of(path: str | Path, words: Words) -> npt.NDArray[np.float64]:
    """Return the frequency of each word from a list, up to a factor, (n,), all above 0.

    Args:
        path: path of the list; see read_frequencies. Without counts, the frequency of a word is the inverse of its rank
            (Zipf's law). A word that is not listed is as frequent as the rarest listed word.
        words: (n,) to look up, as they are or else composed (NFC).

    Raises:
        InputError: if the file is missing, has no words or none of the given ones, or has a count below 0.
        FormatError: if a count is not a number.
    """
    counts = read_counts(path)
    if not any(counts.values()):
        counts = {word: 1 / rank for rank, word in enumerate(counts, start=1)}
    if min(counts.values()) < 0:
        raise InputError(f"{path} has a count below 0")
    of_composed: dict[str, float] = {}
    for word, count in counts.items():
        of_composed.setdefault(composed(word), count)

    def count_of(word: str, default: float) -> float:
        return counts[word] if word in counts else of_composed.get(composed(word), default)

    if all(math.isnan(count_of(word, math.nan)) for word in words.tolist()):
        raise InputError(f"{path} holds none of the words of the embedding")
    smallest = min(count for count in counts.values() if count > 0)
    return np.array([max(count_of(word, smallest), smallest) for word in words.tolist()])


def _count(field: str) -> float:
    count = float(field)
    if not math.isfinite(count):
        raise ValueError(f"the count {field} is not finite")
    return count
