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
    rest, least = b"", 2
    while chunk := table.stream.read(BLOCK):
        cut = chunk.rfind(b"\n") + 1
        if cut and (least == 1 or rest.count(b"\n") + chunk.count(b"\n") >= least):
            block = b"".join((rest, memoryview(chunk)[:cut]))
            yield block.removeprefix(_BYTE_ORDER_MARK) if least == 2 else block, table.position()
            rest, least = chunk[cut:], 1
        else:
            rest += chunk
        if len(rest) > _LONGEST_LINE:
            raise FormatError(f"{table.name} is not a text of words and numbers: a line has over {_LONGEST_LINE} bytes")
    rest = rest.removeprefix(_BYTE_ORDER_MARK) if least == 2 else rest
    if rest:
        yield rest if rest.endswith(b"\n") else rest + b"\n", table.position()


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
        found = lines(text, self.layout.dimension)
        if not self.lines:
            self.lines = int(self.layout.announced is not None)
            found = found[self.lines :]
            self._refuse_attached(block, found)
        short = np.flatnonzero((found[:, 1] < 0) & (found[:, 3] > 0))
        used = found[: short[0]] if len(short) else found
        rows, refusal = self._kept(block, used)
        self._parse(block, used, rows)
        if refusal:
            raise FormatError(refusal)
        if len(short) and not self.done:
            self._refuse_short(block, found[short[0]], int(short[0]))
        self._count(found[: rows[-1] + 1] if self.done and rows else found)

    def embeddings(self) -> Embeddings:
        """Return the kept words."""
        if not self.lines:
            raise FormatError(f"{self.name} is empty")
        announced, held = self.layout.announced, self.lines - 1 - self.seen[BLANK]
        if announced is not None and not self.done and announced != held:
            raise FormatError(
                f"{self.name} announces {announced} words in its first line but holds {held}: it is truncated, or "
                "its header is wrong"
            )
        counts = {"lines": self.lines, **self.seen, "words not found": len(self.missing)}
        refuse_unusable(counts, self.name)
        if not self.words:
            raise InputError(f"{self.name} holds none of the requested words")
        return Embeddings(self.words, self.vectors.take(), counts)

    def _kept(self, block: bytes, found: np.ndarray) -> tuple[list[int], str]:
        """Return the lines to keep, up to the last wanted one, and why an earlier line is refused."""
        known, missing, wanted, top = self.known, self.missing, self.wanted, self.kept.top
        rows = np.flatnonzero(found[:, 3])
        starts, ends = found[rows, 0].tolist(), found[rows, 1].tolist()
        fields = [block[start:end] for start, end in zip(starts, ends, strict=True)]
        flawed, kept = flaws(fields), list[int]()
        unusable = unwanted = repeated = 0
        for i, (row, word) in enumerate(zip(rows.tolist(), fields, strict=True)):
            if i in flawed or (word in known and (len(known) < top or word in wanted)):
                if self.kept.strict:
                    return kept, f"{self._place(row)}: the word {word[:80]!r} {flawed.get(i, 'occurs again')}"
                unusable, repeated = unusable + (i in flawed), repeated + (i not in flawed)
            elif len(known) >= top and word not in wanted:
                unwanted += 1
            else:
                known.add(word)
                missing.discard(word)
                kept.append(row)
                self.words.append(word.decode())
                if len(known) >= top and not missing:
                    break
        self.seen += Counter({UNUSABLE: unusable, UNWANTED: unwanted, REPEATED: repeated})
        return kept, ""

    def _count(self, found: np.ndarray) -> None:
        self.lines += len(found)
        self.seen += Counter({BLANK: np.count_nonzero(found[:, 3] == 0)})

    def _parse(self, block: bytes, found: np.ndarray, kept: list[int]) -> None:
        """Append the vectors of the lines to keep."""
        found = found[kept]
        vectors = self.vectors.add(len(kept))
        for row, column in numbers(np.frombuffer(block, dtype=np.uint8), found[:, 1:3], vectors):
            vectors[row, column] = self._careful(block, found[row], kept[row], int(column))

    def _refuse_attached(self, block: bytes, found: np.ndarray) -> None:
        found = found[found[:, 1] >= 0][:SAMPLE]
        words = [block[start:end].decode(errors="replace") for start, end in found[:, :2].tolist()]
        vectors = np.empty((len(found), self.layout.dimension), dtype=np.float32)
        numbers(np.frombuffer(block, dtype=np.uint8), found[:, 1:3], vectors)
        refuse_attached(words, vectors, self.name)

    def _careful(self, block: bytes, line: np.ndarray, i: int, column: int) -> float:
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
