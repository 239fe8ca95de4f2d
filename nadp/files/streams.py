"""A file as a stream of bytes, whether plain, compressed, or a member of a zip archive."""

import bz2
import errno
import gzip
import lzma
import zipfile
import zlib
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol, TypeVar, cast

from nadp.errors import FormatError, InputError
from nadp.files.kinds import ARROW, BEGINNING, BZIP2, FASTTEXT, GZIP, PACKED, PARQUET, PICKLE, UTF_16, XZ, ZIP, kind_of

BLOCK = 1 << 21
"""Bytes of text per block; the first block determines how many numbers a word has."""
_ENDINGS = ((".txt", ".vec"), (".w2v", ".bin"))  # suffixes of tables in an archive; the first that occurs is used
_OPENERS: dict[str, Callable[[IO[bytes]], object]] = {GZIP: gzip.open, BZIP2: bz2.open, XZ: lzma.open}
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
_NOT_READ = {9: "deflate64", 93: "Zstandard", 98: "PPMd"}
_DAMAGE = (zipfile.BadZipFile, gzip.BadGzipFile, zlib.error, lzma.LZMAError, EOFError)
_OF_ARCHIVES = (
    NotImplementedError,  # zipfile's error for an archive of a newer version, with patched data or strong encryption
    UnicodeDecodeError,  # for the name of a member that is not UTF-8
)
_FREE, _MOST_TIMES = 1 << 24, 200  # a file larger than 16 MB and 200 times its compressed size is a decompression bomb
_ADVICE = {
    FASTTEXT: "fastText's .bin is read for its n-grams only; its words are in the .vec file of the same model",
    UTF_16: "save it as UTF-8",
    **dict.fromkeys(PACKED, "unpack it first"),
    PARQUET: "let its name end in .parquet",
    ARROW: "let its name end in .arrow",
}
_TO_CONVERT = """pickles are never loaded, since that may run any code. If you trust it, convert it with gensim:
from gensim.utils import SaveLoad
SaveLoad.load({old!r}){vectors}.save_word2vec_format({new!r}, binary=True)"""
_SHOWN = 20  # names in a message
T = TypeVar("T")


class Stream(Protocol):
    """A source of bytes."""

    def read(self, size: int = -1, /) -> bytes:
        """Return at most this many bytes; none at the end."""

    def readline(self, size: int = -1, /) -> bytes:
        """Return the bytes up to the next newline, at most this many."""


@dataclass(frozen=True)
class OpenTable:
    """A table of vectors, open for reading.

    Attributes:
        stream: stream of its bytes.
        name: for messages.
        inner: the name without the suffix of the compression; its suffix determines the format.
        size: size of the file in bytes; in a zip archive, of the member when unpacked.
        position: returns the number of these bytes that have been read.
    """

    stream: Stream
    name: str
    inner: str
    size: int
    position: Callable[[], int]


@contextmanager
def open_stream(path: Path, member: str | None = None) -> Iterator[OpenTable]:
    """Open a table of vectors for reading.

    The first bytes determine the kind of the file, not its name.

    Args:
        path: a file, plain or compressed by gzip, bzip2 or xz, or a zip archive.
        member: the file to read from a zip archive; needed only if it holds several tables.

    Raises:
        InputError: if the file is missing, or the member is missing or has to be chosen.
        FormatError: if the file is of an unsupported kind, damaged, truncated, or a decompression bomb.
    """
    if not path.is_file():
        raise InputError(f"no such file: {path}")
    with path.open("rb") as raw, _damage_named(path):
        kind = kind_of(raw.read(BEGINNING))
        raw.seek(0)
        if member is not None and kind != ZIP:
            raise InputError(f"{path} is not a zip archive, so it has no member {member!r}: leave `member` out")
        if kind == ZIP:
            with _member(raw, path, member) as table:
                yield table
        elif kind in _OPENERS:
            with cast("IO[bytes]", _OPENERS[kind](raw)) as unpacked:
                _refuse_nested(unpacked, str(path))
                unpacked.seek(0)
                yield OpenTable(_Bounded(unpacked, path, raw.tell), str(path), path.stem, path.stat().st_size, raw.tell)
        elif kind:
            raise FormatError(f"{path} is {kind}: {_advice(kind, path)}")
        else:
            yield OpenTable(raw, str(path), path.name, path.stat().st_size, raw.tell)


def _advice(kind: str, path: Path) -> str:
    """Return advice on a file of an unsupported kind."""
    if kind != PICKLE:
        return _ADVICE.get(kind, "convert it to a table of words and vectors, such as GloVe text")
    vectors = ".wv" if path.suffix == ".model" else ""  # models that can be trained further
    return _TO_CONVERT.format(old=str(path), vectors=vectors, new=str(path.with_suffix(".bin")))


@contextmanager
def _member(raw: IO[bytes], path: Path, member: str | None) -> Iterator[OpenTable]:
    """Open a member of a zip archive."""
    with zipfile.ZipFile(raw) as archive:
        info = archive.getinfo(_table_in(archive, path, member))
        name = f"{path}:{info.filename}"
        refuse_member(info, name)
        with archive.open(info) as stream:
            _refuse_nested(stream, name)
        inner_name = info.filename if info.filename.endswith(_ENDINGS[0] + _ENDINGS[1]) else path.stem
        with archive.open(info) as stream:
            yield OpenTable(stream, name, inner_name, info.file_size, stream.tell)


@contextmanager
def _damage_named(path: Path) -> Iterator[None]:
    """Turn errors about damaged compressed data into errors that name the file."""
    try:
        yield
    except (*_DAMAGE, *_OF_ARCHIVES) as error:
        raise FormatError(f"{path} is damaged or truncated ({error}): fetch it again") from error
    except OSError as error:
        # bzip2 raises OSError, and a damaged archive may say that a member begins before the archive
        if error.errno not in (None, errno.EINVAL):
            raise
        raise FormatError(f"{path} is damaged or truncated ({error}): fetch it again") from error


def _refuse_nested(stream: IO[bytes], name: str) -> None:
    """Refuse data that is compressed twice."""
    kind = kind_of(stream.read(BEGINNING))
    if kind:
        raise FormatError(f"{name} is compressed and holds {kind}: unpack it first")


def refuse_member(info: zipfile.ZipInfo, name: str) -> None:
    """Refuse a member of an archive that cannot be unpacked, or is a decompression bomb.

    Raises:
        FormatError: if it is encrypted, compressed by an unsupported method, or a decompression bomb.
    """
    if info.flag_bits & 1:
        raise FormatError(f"{name} is encrypted: unpack it first, with its password")
    if info.compress_type not in _METHODS:
        method = _NOT_READ.get(info.compress_type, f"method {info.compress_type}")
        raise FormatError(f"{name} is compressed by {method}, which is not supported: unpack it first")
    if _is_bomb(info.file_size, info.compress_size):
        raise _bomb_error(name)


def _is_bomb(unpacked: int, packed: int) -> bool:
    return unpacked > max(_FREE, _MOST_TIMES * packed)


def _bomb_error(name: str) -> FormatError:
    return FormatError(f"{name} grows to over {_MOST_TIMES} times its size when it is unpacked: no table does")


class _Bounded:
    """A compressed stream that refuses decompression bombs."""

    def __init__(self, stream: IO[bytes], path: Path, packed: Callable[[], int]) -> None:
        self._stream, self._path, self._packed = stream, path, packed
        self._unpacked = 0

    def read(self, size: int = -1, /) -> bytes:
        return self._counted(self._stream.read(size))

    def readline(self, size: int = -1, /) -> bytes:
        return self._counted(self._stream.readline(size))

    def _counted(self, block: bytes) -> bytes:
        self._unpacked += len(block)
        if _is_bomb(self._unpacked, self._packed()):
            raise _bomb_error(str(self._path))
        return block


def ahead(items: Iterator[T]) -> Generator[T]:
    """Yield some items, each prepared on a thread while the previous one is in use (unzipping releases Python's lock).

    At most one item is prepared in advance; an error is raised when its item is due. Close the generator before the
    stream from which the items come.
    """
    with ThreadPoolExecutor(1) as pool:
        next_item = pool.submit(next, items, None)
        while (item := next_item.result()) is not None:
            next_item = pool.submit(next, items, None)
            yield item


def _table_in(archive: zipfile.ZipFile, path: Path, member: str | None) -> str:
    """Return the name of the member to read: the requested one, or the only table."""
    names = [
        i.filename
        for i in archive.infolist()
        if not i.filename.endswith("/") and not i.filename.startswith("__MACOSX/")
    ]
    if member is not None:
        if member not in names:
            raise InputError(f"{path} has no member {member!r}; it holds {_listed(names) or 'nothing'}")
        return member
    if names and all(name.endswith(".npy") for name in names):
        raise FormatError(f"{path} holds NumPy arrays: let its name end in .npz")
    tables = next(
        (matching for ends in _ENDINGS if (matching := [name for name in names if name.endswith(ends)])), names
    )
    if len(tables) != 1:
        raise InputError(
            f"{path} holds {len(tables)} tables: name one with `member`: {_listed(tables)}"
            if tables
            else f"{path} is an empty archive"
        )
    return tables[0]


def _listed(names: list[str]) -> str:
    """Return some names as a list, cut after the first few."""
    return ", ".join(names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "")
