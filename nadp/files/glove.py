"""GloVe's text format: a word and d numbers to a line, separated by single spaces.

Files are read as a stream and filtered on the way, so that memory holds the kept words only. Real files hold
words with spaces in them (so fields are counted from the right), Unicode line ends inside words (so lines end
at a newline only), words such as `nan` and `"`, and sometimes a word2vec header.
"""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

import numpy as np

from nadp.embeddings import Embeddings
from nadp.errors import FormatError, InputError
from nadp.files.growing import GrowingRows
from nadp.files.kernels import lines, numbers
from nadp.files.streams import Table, ahead, open_stream
from nadp.runtime.progress import Stage, megabytes

BLOCK = 1 << 21
"""Bytes that are read at a time; the first block tells how many numbers a word has."""
_LONGEST_LINE = 1 << 24


def read_text(
    path: str | Path, *, words: Iterable[str] | None = None, limit: int | None = None, member: str | None = None
) -> Embeddings:
    """Return the embeddings of a text file (plain, gzipped, or inside a zip archive), as nadp.read_embeddings does.

    Raises:
        InputError: if the file or its member is missing, or nothing is kept.
        FormatError: if a line is no word and d numbers; the message names file, line and reason.
    """
    wanted = None if words is None else {word.encode() for word in words}
    everything = wanted is None and limit is None
    top = None if everything else (limit or 0)
    with (
        open_stream(Path(path), member) as table,
        Stage(f"reading {table.name}", megabytes(table.size), "MB") as stage,
        closing(ahead(_blocks(table))) as blocks,
    ):
        reader = _Reader(table.name, top, wanted or set())
        for block, position in blocks:
            reader.read(block)
            stage.reach(megabytes(position))
            if reader.done:
                break
        return reader.embeddings()


def _blocks(table: Table) -> Iterator[tuple[bytes, int]]:
    """Yield the text in blocks of whole lines, with the position after each; the last line gets a missing newline."""
    rest = b""
    first = True
    while chunk := table.stream.read(BLOCK):
        if first:
            chunk, first = chunk.removeprefix(b"\xef\xbb\xbf"), False
        cut = chunk.rfind(b"\n") + 1
        if cut:
            yield b"".join((rest, memoryview(chunk)[:cut])), table.position()
            rest = chunk[cut:]
        else:
            rest += chunk
        if len(rest) > _LONGEST_LINE:
            raise FormatError(f"{table.name} is no text of words and numbers: a line has over {_LONGEST_LINE} bytes")
    if rest:
        yield rest + b"\n", table.position()


class _Reader:
    """Reads blocks of lines, keeping the first `top` words (None: all) and the wanted ones."""

    def __init__(self, name: str, top: int | None, wanted: set[bytes]) -> None:
        self.name, self.top, self.wanted = name, sys.maxsize if top is None else top, wanted
        self.dimension = 0
        self.announced: int | None = None
        self.known: set[bytes] = set()
        self.words: list[str] = []
        self.vectors = GrowingRows(0)
        self.lines = 0
        self.seen = Counter[str]()
        self.missing = set(wanted)

    @property
    def done(self) -> bool:
        """Whether the rest of the file can hold nothing that is wanted."""
        return len(self.known) >= self.top and not self.missing

    def read(self, block: bytes) -> None:
        """Read some lines, up to the last that is wanted; what is wrong in them is refused in their order."""
        text = np.frombuffer(block, dtype=np.uint8)
        if not self.dimension:
            self.dimension = self._dimension(text)
            self.vectors = GrowingRows(self.dimension)
        found = self._without_header(block, lines(text, self.dimension))
        short = np.flatnonzero((found[:, 1] < 0) & (found[:, 3] > 0))
        kept, fields = self._kept(block, found[: short[0]] if len(short) else found)
        words = _decoded(fields)
        self._parse(block, found, kept[: len(words)])
        if len(words) < len(fields):
            self._refuse_word(fields[len(words)], kept[len(words)])
        if len(short) and not self.done:
            self._refuse_short(block, found[short[0]], int(short[0]))
        self.words += words
        self._count(found[: kept[-1] + 1] if self.done and kept else found)

    def embeddings(self) -> Embeddings:
        """Return what was kept."""
        if not self.lines:
            raise FormatError(f"{self.name} is empty")
        if self.announced is not None and not self.done and self.announced != self.lines - 1 - self.seen["blank lines"]:
            raise FormatError(
                f"{self.name} announces {self.announced} words in its first line but holds "
                f"{self.lines - 1 - self.seen['blank lines']}: it is cut off or its header is wrong"
            )
        if not self.words:
            raise InputError(f"{self.name} holds none of the words asked for")
        counts = {"lines": self.lines, **self.seen, "words not found": len(self.missing)}
        return Embeddings(self.words, self.vectors.take(), counts)

    def _dimension(self, text: np.ndarray) -> int:
        """Return the most common number of fields in the first block, less the word; among equals the first line's."""
        found = lines(text, 0)
        fields = found[found[:, 3] > 0, 3]
        if len(fields) > 1 and self._counts(text.tobytes(), found[0]):
            fields = fields[1:]
        if not len(fields):
            raise FormatError(f"{self.name} holds only blank lines")
        common = np.bincount(fields)
        dimension = int(next(count for count in fields if common[count] == common.max())) - 1
        if dimension < 1:
            raise FormatError(f"{self.name} is no embedding: its lines are no word followed by numbers")
        return dimension

    def _without_header(self, block: bytes, found: np.ndarray) -> np.ndarray:
        """Leave out a word2vec header (number of words, dimension) in the first line."""
        counts = self._counts(block, found[0])
        if self.lines or self.dimension == 1 or counts is None or counts[1] != self.dimension:
            return found
        self.announced = counts[0]
        self.lines = 1
        return found[1:]

    @staticmethod
    def _counts(block: bytes, line: np.ndarray) -> tuple[int, int] | None:
        """Return the two whole numbers that a line consists of, if it does."""
        fields = block[line[0] : line[2]].split(b" ")
        return (int(fields[0]), int(fields[1])) if len(fields) == 2 and all(f.isdigit() for f in fields) else None

    def _kept(self, block: bytes, found: np.ndarray) -> tuple[list[int], list[bytes]]:
        """Return which lines to keep, up to the last that is wanted, and their words."""
        known, missing, wanted, top = self.known, self.missing, self.wanted, self.top
        kept, words = [], []
        unwanted = repeated = 0
        rows = np.flatnonzero(found[:, 3])
        starts, ends = found[rows, 0].tolist(), found[rows, 1].tolist()
        for row, start, end in zip(rows.tolist(), starts, ends, strict=True):
            word = block[start:end]
            if len(known) >= top and word not in wanted:
                unwanted += 1
            elif word in known:
                repeated += 1
            else:
                known.add(word)
                missing.discard(word)
                kept.append(row)
                words.append(word)
                if len(known) >= top and not missing:
                    break
        self.seen += Counter({"words not wanted": unwanted, "repeated words": repeated})
        return kept, words

    def _count(self, found: np.ndarray) -> None:
        self.lines += len(found)
        self.seen += Counter({"blank lines": np.count_nonzero(found[:, 3] == 0)})

    def _parse(self, block: bytes, found: np.ndarray, kept: list[int]) -> None:
        """Append the vectors of the lines to keep."""
        found = found[kept]
        vectors = self.vectors.add(len(kept))
        for row, column in numbers(np.frombuffer(block, dtype=np.uint8), found[:, 1:3], vectors):
            vectors[row, column] = self._careful(block, found[row], kept[row], int(column))

    def _refuse_word(self, word: bytes, i: int) -> None:
        if not word.strip(b" "):
            raise FormatError(f"{self._place(i)}: there is no word before the {self.dimension} numbers")
        try:
            word.decode()
        except UnicodeDecodeError as error:
            raise FormatError(
                f"{self._place(i)}: the word {word[:80]!r} is not UTF-8: convert the file first"
            ) from error

    def _careful(self, block: bytes, line: np.ndarray, i: int, column: int) -> float:
        """Return a number that the fast path left: more digits or a larger exponent than it takes."""
        field = block[line[1] + 1 : line[2]].split(b" ")[column]
        try:
            value = float(field) if b"_" not in field else float("nan")
        except ValueError:
            value = float("nan")
        with np.errstate(over="ignore"):
            finite = np.isfinite(np.float32(value))
        if not finite:
            raise FormatError(
                f"{self._place(i)}: field {column + 1} after the word, {field[:40]!r}, is no finite number"
            )
        return value

    def _refuse_short(self, block: bytes, line: np.ndarray, i: int) -> None:
        text = block[line[0] : line[2]][:60]
        raise FormatError(
            f"{self._place(i)}: {line[3]} fields where a word and {self.dimension} numbers were expected "
            f"(it begins {text!r}): the file is damaged, cut off, or no embedding"
        )

    def _place(self, i: int) -> str:
        return f"{self.name}, line {self.lines + i + 1}"


def _decoded(fields: list[bytes]) -> list[str]:
    """Return the words, or those before the first that is none: empty, only spaces, or not UTF-8."""
    joined = b"\n".join(fields)
    try:
        words = joined.decode().split("\n")
    except UnicodeDecodeError as error:
        words = joined[: error.start].decode().split("\n")[:-1]
    stop = next((i for i, word in enumerate(words) if not word.strip(" ")), len(words))
    return words[:stop]
