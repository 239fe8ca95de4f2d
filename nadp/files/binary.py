"""Embedding files that are not text: word2vec's binary form, .npz and safetensors. Nothing is unpickled."""

import sys
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt
from numpy.lib.npyio import NpzFile

from nadp.embeddings import Embeddings
from nadp.errors import FormatError, InputError
from nadp.files.growing import GrowingRows
from nadp.files.streams import open_stream
from nadp.runtime.optional import optional
from nadp.runtime.progress import Stage, megabytes

_LONGEST_WORD = 1 << 16
_MOST_DIMENSIONS = 1 << 20
_NPZ_ERRORS = (KeyError, ValueError, TypeError, OSError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error)
_BLOCK = 1 << 22
_TOLD_EVERY = 1024  # words


class Kept:
    """The words of a file that are kept: the first `limit` ones and the wanted ones; all if neither is given.

    Args:
        words: words to keep wherever they stand.
        limit: how many words to keep from the top.
    """

    def __init__(self, words: Iterable[str] | None, limit: int | None) -> None:
        self._top = sys.maxsize if words is None and limit is None else (limit or 0)
        self._wanted = set() if words is None else set(words)

    def of(self, words: list[str], vectors: npt.NDArray[Any], name: str) -> Embeddings:
        """Return the kept words of a table; a repeated word keeps its first vector.

        Raises:
            FormatError: if the table is none of words and real, finite numbers.
            InputError: if nothing is kept.
        """
        if vectors.ndim != 2 or vectors.dtype.kind not in "fiu":
            raise FormatError(
                f"{name}: vectors of shape {vectors.shape} and type {vectors.dtype} are no table of numbers"
            )
        if len(words) != len(vectors):
            raise FormatError(f"{name}: {len(words)} words do not fit vectors of shape {vectors.shape}")
        rows, counts = self._rows(words)
        if not len(rows):
            raise InputError(f"{name} holds none of the words asked for")
        try:
            return Embeddings([words[row] for row in rows], vectors[rows], counts)
        except InputError as error:
            raise FormatError(f"{name}: {error}") from error

    def _rows(self, words: list[str]) -> tuple[npt.NDArray[np.int64], dict[str, int]]:
        """Return the rows to keep, and what was seen up to the last that can matter."""
        first: dict[str, int] = {}
        seen, missing, lines = Counter[str](), set(self._wanted), 0
        for row, word in enumerate(words):
            if len(first) >= self._top and not missing:
                break
            lines = row + 1
            if len(first) >= self._top and word not in self._wanted:
                seen["words not wanted"] += 1
            elif word in first:
                seen["repeated words"] += 1
            else:
                first[word] = row
                missing.discard(word)
        counts = {"lines": lines, **seen, "words not found": len(missing)}
        return np.fromiter(first.values(), dtype=np.int64, count=len(first)), counts


def read_word2vec_binary(path: Path, kept: Kept, member: str | None = None) -> Embeddings:
    """Return the embedding of a word2vec binary file: a line with n and d, then word, space, d float32 for each.

    Raises:
        FormatError: if the file ends early or its first line is no pair of numbers.
    """
    with open_stream(path, member) as table, Stage(f"reading {table.name}", megabytes(table.size), "MB") as stage:
        stream, name = table.stream, table.name
        header = stream.readline(64).split()
        if len(header) != 2 or not all(part.isdigit() for part in header):
            raise FormatError(f"{name}: the first line is {header!r}, not the numbers of words and dimensions")
        count, dimension = int(header[0]), int(header[1])
        if not 0 < dimension <= _MOST_DIMENSIONS:
            raise FormatError(f"{name}: the first line announces {dimension} numbers to a word")
        words, vectors = [], GrowingRows(dimension)
        source = _Source(stream, name)
        for row in range(count):
            words.append(source.word(row))
            vectors.add(1)[0] = np.frombuffer(source.exactly(4 * dimension, row), dtype="<f4")
            if not row % _TOLD_EVERY:
                stage.reach(megabytes(table.position()))
        source.end(count)
        return kept.of(words, vectors.take(), name)


class _Source:
    """Bytes of a stream, read in blocks."""

    def __init__(self, stream: IO[bytes], name: str) -> None:
        self.stream, self.name, self.rest, self.at = stream, name, b"", 0

    def exactly(self, count: int, row: int) -> bytes:
        while len(self.rest) - self.at < count and self._more():
            pass
        found = self.rest[self.at : self.at + count]
        if len(found) < count:
            raise FormatError(f"{self.name} ends within word {row + 1}: it is cut off")
        self.at += count
        return found

    def word(self, row: int) -> str:
        while (end := self.rest.find(b" ", self.at)) < 0:
            if len(self.rest) - self.at > _LONGEST_WORD or not self._more():
                raise FormatError(f"{self.name}: word {row + 1} has no end: the file is cut off or of another format")
        found = self.rest[self.at : end].lstrip(b"\n")  # some writers end each vector with a newline
        self.at = end + 1
        if not found:
            raise FormatError(f"{self.name}: word {row + 1} is empty")
        try:
            return found.decode()
        except UnicodeDecodeError as error:
            raise FormatError(f"{self.name}: word {row + 1}, {found[:80]!r}, is not UTF-8") from error

    def end(self, count: int) -> None:
        """Refuse anything but newlines after the last word."""
        while len(self.rest) - self.at or self._more():
            if self.rest[self.at :].strip(b"\n"):
                raise FormatError(f"{self.name} announces {count} words in its first line but holds more")
            self.at = len(self.rest)

    def _more(self) -> bool:
        block = self.stream.read(_BLOCK)
        self.rest, self.at = self.rest[self.at :] + block, 0
        return bool(block)


def read_npz(path: Path, kept: Kept) -> Embeddings:
    """Return the embedding of an .npz file with arrays "words" and "vectors".

    Raises:
        FormatError: if the file holds no such arrays.
    """
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            if not isinstance(archive, NpzFile):
                raise FormatError(f"{path} is a single array, no .npz file")
            words, vectors = archive["words"], archive["vectors"]
        named = _names(words)
    except _NPZ_ERRORS as error:
        raise FormatError(f"{path} holds no arrays 'words' and 'vectors': {error}") from error
    return kept.of(named, vectors, str(path))


def _names(words: npt.NDArray[Any]) -> list[str]:
    """Return words from an array of strings, or of the bytes of lines of words."""
    if words.ndim == 1 and words.dtype.kind == "U":
        return words.tolist()
    if words.ndim == 1 and words.dtype == np.uint8:
        return words.tobytes().decode().split("\n")
    raise FormatError(f"words of shape {words.shape} and type {words.dtype} are no list of words")


def read_safetensors(path: Path, kept: Kept) -> Embeddings:
    """Return the embedding of a safetensors file: tensor "vectors", and the words, a line each, in the metadata.

    Raises:
        FormatError: if the file holds no such things.
    """
    with optional("safetensors", str(path)):
        from safetensors import SafetensorError, safe_open  # noqa: PLC0415 - optional
    try:
        with safe_open(path, framework="numpy") as file:
            words, vectors = (file.metadata() or {})["words"], file.get_tensor("vectors")
    except (KeyError, SafetensorError) as error:
        raise FormatError(f"{path} holds no tensor 'vectors' with its 'words' in the metadata: {error}") from error
    return kept.of(words.split("\n"), vectors, str(path))
