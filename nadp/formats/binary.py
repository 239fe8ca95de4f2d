"""Embedding files that are not text: word2vec's binary form, .npz and safetensors. Nothing is unpickled."""

import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import IO

import numpy as np
import numpy.typing as npt

from nadp.embeddings import Embeddings
from nadp.errors import FormatError, InputError
from nadp.formats.streams import open_stream

_LONGEST_WORD = 1 << 16
_BLOCK = 1 << 22


class Kept:
    """The words of a file that are kept: the first `limit` ones and the wanted ones; all if neither is given.

    Args:
        words: words to keep wherever they stand.
        limit: how many words to keep from the top.
    """

    def __init__(self, words: Iterable[str] | None, limit: int | None) -> None:
        self._wanted = set(words or ())
        self._top = (1 << 62) if words is None and limit is None else (limit or 0)

    def rows(self, words: list[str], name: str) -> npt.NDArray[np.int64]:
        """Return the rows to keep; a repeated word keeps its first."""
        first: dict[str, int] = {}
        for row, word in enumerate(words):
            if word not in first and (len(first) < self._top or word in self._wanted):
                first[word] = row
        if not first:
            raise InputError(f"{name} holds none of the words asked for")
        return np.fromiter(first.values(), dtype=np.int64)

    def of(self, words: list[str], vectors: npt.NDArray[np.floating], name: str) -> Embeddings:
        """Return the kept words of a table."""
        if vectors.ndim != 2 or len(words) != len(vectors):
            raise FormatError(f"{name}: {len(words)} words do not fit vectors of shape {vectors.shape}")
        rows = self.rows(words, name)
        counts = {"lines": len(words), "words not found": len(self._wanted - set(words))}
        return Embeddings([words[row] for row in rows], vectors[rows], counts)


def read_word2vec_binary(path: Path, kept: Kept, member: str | None = None) -> Embeddings:
    """Return the embedding of a word2vec binary file: a line with n and d, then word, space, d float32 for each.

    Raises:
        FormatError: if the file ends early or its first line is no pair of numbers.
    """
    with open_stream(path, member) as (stream, name):
        header = stream.readline(64).split()
        if len(header) != 2 or not all(part.isdigit() for part in header):
            raise FormatError(f"{name}: the first line is {header!r}, not the numbers of words and dimensions")
        count, dimension = int(header[0]), int(header[1])
        words, vectors = [], np.empty((count, dimension), dtype="<f4")
        source = _Source(stream, name)
        for row in range(count):
            words.append(source.word(row))
            vectors[row] = np.frombuffer(source.exactly(4 * dimension, row), dtype="<f4")
        return kept.of(words, vectors, name)


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
        try:
            return found.decode()
        except UnicodeDecodeError as error:
            raise FormatError(f"{self.name}: word {row + 1}, {found[:80]!r}, is not UTF-8") from error

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
        with np.load(path, allow_pickle=False) as archive:
            words, vectors = archive["words"], archive["vectors"]
    except (KeyError, ValueError, OSError, zipfile.BadZipFile) as error:
        raise FormatError(f"{path} holds no arrays 'words' and 'vectors': {error}") from error
    named = words.tolist() if words.dtype.kind == "U" else words.tobytes().decode().split("\n")
    return kept.of(named, vectors, str(path))


def read_safetensors(path: Path, kept: Kept) -> Embeddings:
    """Return the embedding of a safetensors file: tensor "vectors", and the words, a line each, in the metadata.

    Raises:
        FormatError: if the file holds no such things.
    """
    try:
        from safetensors import SafetensorError, safe_open  # noqa: PLC0415 - optional
    except ImportError as error:
        raise InputError(f"{path} needs the package safetensors: pip install 'nadp[safetensors]'") from error
    try:
        with safe_open(path, framework="numpy") as file:
            words, vectors = (file.metadata() or {})["words"], file.get_tensor("vectors")
    except (KeyError, SafetensorError) as error:
        raise FormatError(f"{path} holds no tensor 'vectors' with its 'words' in the metadata: {error}") from error
    return kept.of(words.split("\n"), vectors, str(path))
