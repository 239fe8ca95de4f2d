"""word2vec's binary form: a line with n and d, then for each word its bytes, a space, and d float32."""

import numpy as np
import numpy.typing as npt

from nadp.embeddings import Embeddings
from nadp.errors import FormatError
from nadp.files.growing import GrowingRows
from nadp.files.streams import OpenTable, Stream
from nadp.files.words import MOST_DIMENSIONS, Kept, flaws
from nadp.runtime.progress import Stage, megabytes

_LONGEST_WORD = 1 << 16
_BLOCK = 1 << 22
_ROWS_BETWEEN_REPORTS = 1024  # words
_TEXT = b"0123456789+-.eE \n"  # of numbers
_PLAUSIBLE = (1e-12, 1e6)  # plausible magnitudes of an embedding's numbers; misaligned bytes give others


def read_word2vec_binary(table: OpenTable, kept: Kept) -> Embeddings:
    """Return the embedding of a word2vec binary file.

    Raises:
        FormatError: if the file ends early or its first line is not a pair of numbers.
        InputError: if nothing is kept.
    """
    name = table.name
    with Stage(f"reading {name}", megabytes(table.size), "MB") as stage:
        header = table.stream.readline(64).split()
        if len(header) != 2 or not all(part.isdigit() for part in header):
            raise FormatError(f"{name}: the first line is {header!r}, not the numbers of words and dimensions")
        count, dimension = int(header[0]), int(header[1])
        if not 0 < dimension <= MOST_DIMENSIONS:
            raise FormatError(
                f"{name}: the first line announces {dimension} numbers per word: 1 to {MOST_DIMENSIONS} are supported"
            )
        words, vectors = [], GrowingRows(dimension)
        source = _Source(table.stream, name)
        for row in range(count):
            word, vector = source.record(row, dimension)
            words.append(word)
            vectors.add(1)[0] = vector
            if not row % _ROWS_BETWEEN_REPORTS:
                stage.reach(megabytes(table.position()))
        source.end(count)
        numbers = vectors.take()
        _refuse_misaligned(words, numbers, name)
        return kept.of(words, numbers, name)


def _refuse_misaligned(words: list[bytes], vectors: npt.NDArray[np.float32], name: str) -> None:
    """Refuse text, and a word with a space, whose rest was read as a part of its vector.

    Raises:
        FormatError: if the first vector is text, or the numbers before an unusable word have implausible magnitudes.
    """
    first = vectors[:1].astype("<f4").tobytes().strip(b" \n")
    if first and not first.strip(_TEXT):
        raise FormatError(f"{name} is text, not word2vec binary: let its name end in .vec")
    for row in flaws(words):
        if row and not _are_plausible(vectors[row - 1]).all():
            raise FormatError(
                f"{name}: word {row} contains a space, or its vector is damaged, so where the vector begins is "
                "ambiguous: give the table as text with a header (.vec) or as .npz"
            )


class _Source:
    """Bytes of a stream, read in blocks."""

    def __init__(self, stream: Stream, name: str) -> None:
        self.stream, self.name, self.buffer, self.position = stream, name, b"", 0

    def record(self, row: int, dimension: int) -> tuple[bytes, npt.NDArray[np.float32]]:
        """Return a word and its vector; a word that is a single space is returned as an empty word."""
        word, size = self._word(row), 4 * dimension
        if not word and self._has_bytes(size + 1) and self.buffer[self.position : self.position + 1] == b" ":
            self.position += self._step_over_space(row, size)
        if not self._has_bytes(size):
            raise FormatError(f"{self.name} ends within word {row + 1}: it is truncated")
        vector = np.frombuffer(self.buffer, "<f4", dimension, self.position)
        self.position += size
        return word, vector

    def end(self, count: int) -> None:
        """Refuse anything but newlines after the last word."""
        while len(self.buffer) - self.position or self._read_more():
            if self.buffer[self.position :].strip(b"\n"):
                raise FormatError(f"{self.name} announces {count} words in its first line but holds more")
            self.position = len(self.buffer)

    def _word(self, row: int) -> bytes:
        while (end := self.buffer.find(b" ", self.position)) < 0:
            if len(self.buffer) - self.position > _LONGEST_WORD or not self._read_more():
                raise FormatError(f"{self.name}: word {row + 1} has no end: the file is truncated or of another format")
        word = self.buffer[self.position : end].lstrip(b"\n")  # some writers end each vector with a newline
        self.position = end + 1
        return word

    def _step_over_space(self, row: int, size: int) -> int:
        """Return where a vector begins after two spaces: the second ends a word that is a space, or begins a number.

        Numbers that are misaligned by a byte have implausible magnitudes.
        """
        steps = [step for step in (0, 1) if _plausible(self.buffer[self.position + step : self.position + step + size])]
        if len(steps) != 1:
            raise FormatError(
                f"{self.name}: word {row + 1} is empty or a space, so the start of its vector is ambiguous"
            )
        return steps[0]

    def _has_bytes(self, count: int) -> bool:
        while len(self.buffer) - self.position < count:
            if not self._read_more():
                return False
        return True

    def _read_more(self) -> bool:
        block = self.stream.read(_BLOCK)
        self.buffer, self.position = self.buffer[self.position :] + block, 0
        return bool(block)


def _plausible(content: bytes) -> bool:
    return bool(_are_plausible(np.frombuffer(content, dtype="<f4")).all())


def _are_plausible(numbers: npt.NDArray[np.float32]) -> npt.NDArray[np.bool_]:
    sizes = np.abs(numbers)
    return (sizes == 0) | ((sizes >= _PLAUSIBLE[0]) & (sizes <= _PLAUSIBLE[1]))
