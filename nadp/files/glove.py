"""GloVe's text format: a word and d numbers on each line, separated by single spaces or tabs.

Files are streamed and filtered while they are read, so memory holds only the kept words. Real files hold words with
spaces (so fields are counted from the right), Unicode line ends inside words (so only a newline ends a line), words
such as `nan` and `"`, and sometimes a word2vec header.
"""

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import closing

import numpy as np

from nadp.embeddings import Embeddings
from nadp.errors import FormatError, InputError
from nadp.files.growing import GrowingRows
from nadp.files.kernels import lines, numbers
from nadp.files.layout import Layout, layout_of
from nadp.files.streams import BLOCK, OpenTable, ahead
from nadp.files.words import BLANK, REPEATED, SAMPLE, UNUSABLE, UNWANTED, Kept, flaws, refuse_attached, refuse_unusable
from nadp.runtime.progress import Stage, megabytes

_LONGEST_LINE = 1 << 24  # bytes
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_SEPARATOR = re.compile(rb"[ \t]")


def read_text(table: OpenTable, kept: Kept) -> Embeddings:
    """Return the embeddings of a text; see nadp.read_embeddings.

    Raises:
        InputError: if nothing is kept.
        FormatError: if a line is not a word and d numbers; the message names file, line and reason.
    """
    with (
        Stage(f"reading {table.name}", megabytes(table.size), "MB") as stage,
        closing(ahead(_blocks(table))) as blocks,
    ):
        reader = _Reader(table.name, kept)
        for block, position in blocks:
            reader.read(block)
            stage.reach(megabytes(position))
            if reader.done:
                break
        return reader.embeddings()


def _blocks(table: OpenTable) -> Iterator[tuple[bytes, int]]:
    """Yield the text in blocks of whole lines, with the position after each. A missing final newline is added.

    The first block has at least two lines, so that it is never only a header.
    """
    remainder, lines_needed = b"", 2
    while chunk := table.stream.read(BLOCK):
        end_of_last_line = chunk.rfind(b"\n") + 1
        if end_of_last_line and (lines_needed == 1 or remainder.count(b"\n") + chunk.count(b"\n") >= lines_needed):
            block = b"".join((remainder, memoryview(chunk)[:end_of_last_line]))
            yield block.removeprefix(_BYTE_ORDER_MARK) if lines_needed == 2 else block, table.position()
            remainder, lines_needed = chunk[end_of_last_line:], 1
        else:
            remainder += chunk
        if len(remainder) > _LONGEST_LINE:
            raise FormatError(f"{table.name} is not a text of words and numbers: a line has over {_LONGEST_LINE} bytes")
    remainder = remainder.removeprefix(_BYTE_ORDER_MARK) if lines_needed == 2 else remainder
    if remainder:
        yield remainder if remainder.endswith(b"\n") else remainder + b"\n", table.position()


class _Reader:
    """Reads blocks of lines and keeps the wanted words."""

    def __init__(self, name: str, kept: Kept) -> None:
        self.name, self.kept = name, kept
        self.wanted = {word.encode(errors="surrogatepass") for word in kept.wanted}
        self.layout = Layout(0, None)
        self.known: set[bytes] = set()
        self.words: list[str] = []
        self.vectors = GrowingRows(0)
        self.lines = 0
        self.seen = Counter[str]()
        self.missing = set(self.wanted)

    @property
    def done(self) -> bool:
        """Whether the rest of the file cannot hold any wanted word."""
        return len(self.known) >= self.kept.top and not self.missing

    def read(self, block: bytes) -> None:
        """Read some lines, up to the last wanted one; the first faulty line is refused."""
        text = np.frombuffer(block, dtype=np.uint8)
        if not self.lines:
            self.layout = layout_of(block, self.name)
            self.vectors = GrowingRows(self.layout.dimension)
        spans = lines(text, self.layout.dimension)
        if not self.lines:
            self.lines = int(self.layout.announced is not None)
            spans = spans[self.lines :]
            self._refuse_attached(block, spans)
        too_short = np.flatnonzero((spans[:, 1] < 0) & (spans[:, 3] > 0))
        complete = spans[: too_short[0]] if len(too_short) else spans
        rows, refusal = self._rows_to_keep(block, complete)
        self._parse(block, complete, rows)
        if refusal:
            raise FormatError(refusal)
        if len(too_short) and not self.done:
            self._refuse_short(block, spans[too_short[0]], int(too_short[0]))
        self._count(spans[: rows[-1] + 1] if self.done and rows else spans)

    def embeddings(self) -> Embeddings:
        """Return the kept words."""
        if not self.lines:
            raise FormatError(f"{self.name} is empty")
        announced, words_held = self.layout.announced, self.lines - 1 - self.seen[BLANK]
        if announced is not None and not self.done and announced != words_held:
            raise FormatError(
                f"{self.name} announces {announced} words in its first line but holds {words_held}: it is truncated, "
                "or its header is wrong"
            )
        counts = {"lines": self.lines, **self.seen, "words not found": len(self.missing)}
        refuse_unusable(counts, self.name)
        if not self.words:
            raise InputError(f"{self.name} holds none of the requested words")
        return Embeddings(self.words, self.vectors.take(), counts)

    def _rows_to_keep(self, block: bytes, spans: np.ndarray) -> tuple[list[int], str]:
        """Return the lines to keep, up to the last wanted one, and why an earlier line is refused."""
        known, missing, wanted, top = self.known, self.missing, self.wanted, self.kept.top
        rows = np.flatnonzero(spans[:, 3])
        starts, ends = spans[rows, 0].tolist(), spans[rows, 1].tolist()
        fields = [block[start:end] for start, end in zip(starts, ends, strict=True)]
        flaw_of_row, rows_to_keep = flaws(fields), list[int]()
        unusable = unwanted = repeated = 0
        for i, (row, word) in enumerate(zip(rows.tolist(), fields, strict=True)):
            if i in flaw_of_row or (word in known and (len(known) < top or word in wanted)):
                if self.kept.strict:
                    return (
                        rows_to_keep,
                        f"{self._place(row)}: the word {word[:80]!r} {flaw_of_row.get(i, 'occurs again')}",
                    )
                unusable, repeated = unusable + (i in flaw_of_row), repeated + (i not in flaw_of_row)
            elif len(known) >= top and word not in wanted:
                unwanted += 1
            else:
                known.add(word)
                missing.discard(word)
                rows_to_keep.append(row)
                self.words.append(word.decode())
                if len(known) >= top and not missing:
                    break
        self.seen += Counter({UNUSABLE: unusable, UNWANTED: unwanted, REPEATED: repeated})
        return rows_to_keep, ""

    def _count(self, spans: np.ndarray) -> None:
        self.lines += len(spans)
        self.seen += Counter({BLANK: np.count_nonzero(spans[:, 3] == 0)})

    def _parse(self, block: bytes, spans: np.ndarray, rows_to_keep: list[int]) -> None:
        """Append the vectors of the lines to keep."""
        spans = spans[rows_to_keep]
        vectors = self.vectors.add(len(rows_to_keep))
        for row, column in numbers(np.frombuffer(block, dtype=np.uint8), spans[:, 1:3], vectors):
            vectors[row, column] = self._parsed_exactly(block, spans[row], rows_to_keep[row], int(column))
        if self.kept.exact is not None:
            for start, word_end, end in spans[:, :3].tolist():
                fields = _SEPARATOR.split(block[word_end + 1 : end])
                self.kept.exact[block[start:word_end].decode()] = np.array([float(field) for field in fields])

    def _refuse_attached(self, block: bytes, spans: np.ndarray) -> None:
        spans = spans[spans[:, 1] >= 0][:SAMPLE]
        words = [block[start:end].decode(errors="replace") for start, end in spans[:, :2].tolist()]
        vectors = np.empty((len(spans), self.layout.dimension), dtype=np.float32)
        numbers(np.frombuffer(block, dtype=np.uint8), spans[:, 1:3], vectors)
        refuse_attached(words, vectors, self.name)

    def _parsed_exactly(self, block: bytes, line: np.ndarray, i: int, column: int) -> float:
        """Return a number with more digits or a larger exponent than the fast path handles."""
        field = _SEPARATOR.split(block[line[1] + 1 : line[2]])[column]
        try:
            value = float(field) if b"_" not in field else float("nan")
        except ValueError:
            value = float("nan")
        with np.errstate(over="ignore"):
            finite = np.isfinite(np.float32(value))
        if not finite:
            raise FormatError(
                f"{self._place(i)}: field {column + 1} after the word, {field[:40]!r}, is not a finite number"
            )
        return value

    def _refuse_short(self, block: bytes, line: np.ndarray, i: int) -> None:
        text = block[line[0] : line[2]][:60]
        raise FormatError(
            f"{self._place(i)}: {line[3]} fields where a word and {self.layout.dimension} numbers were expected "
            f"(it begins {text!r}): the file is damaged, truncated, or not an embedding"
        )

    def _place(self, i: int) -> str:
        return f"{self.name}, line {self.lines + i + 1}"
