"""A file of text as a stream of bytes, whether plain, gzipped or a member of a zip archive."""

import gzip
import zipfile
import zlib
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TypeVar, cast

from nadp.errors import FormatError, InputError

_TABLE_ENDINGS = (".txt", ".vec")
T = TypeVar("T")


@dataclass(frozen=True)
class Table:
    """A table of vectors that is open for reading.

    Attributes:
        stream: of its text.
        name: for messages.
        size: of the file in bytes; of the text where that is in a zip archive.
        position: returns how many of these bytes have been read.
    """

    stream: IO[bytes]
    name: str
    size: int
    position: Callable[[], int]


@contextmanager
def open_stream(path: Path, member: str | None = None) -> Iterator[Table]:
    """Open a table of vectors for reading.

    What the file is, its first bytes tell, not its name.

    Args:
        path: a text file, a gzip file, or a zip archive.
        member: which file of a zip archive; needed only when it holds several tables.

    Raises:
        InputError: if the file is missing, or the member is missing or has to be chosen.
        FormatError: if the compressed data is damaged or cut off.
    """
    if not path.is_file():
        raise InputError(f"no such file: {path}")
    with path.open("rb") as probe:
        magic = probe.read(4)
    zipped = magic in (b"PK\x03\x04", b"PK\x05\x06")
    if member is not None and not zipped:
        raise InputError(f"{path} is no zip archive, so it has no member {member!r}: leave `member` out")
    try:
        if zipped:
            with zipfile.ZipFile(path) as archive:
                name = _table_in(archive, path, member)
                with archive.open(name) as stream:
                    yield Table(stream, f"{path}:{name}", archive.getinfo(name).file_size, stream.tell)
            return
        with path.open("rb") as raw:
            if magic[:2] == b"\x1f\x8b":
                with gzip.open(raw, "rb") as unzipped:
                    yield Table(cast("IO[bytes]", unzipped), str(path), path.stat().st_size, raw.tell)
            else:
                yield Table(raw, str(path), path.stat().st_size, raw.tell)
    except (zipfile.BadZipFile, gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise FormatError(f"{path} is damaged or cut off ({error}): fetch it again") from error


def ahead(items: Iterator[T]) -> Generator[T]:
    """Yield some items, each made on a thread while the one before it is in use (unzipping needs no Python lock).

    No more than one is made in advance; an error in making one shows when it is its turn. The generator has to be
    closed before the stream that the items come from.
    """
    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(next, items, None)
        while (item := coming.result()) is not None:
            coming = pool.submit(next, items, None)
            yield item


def _table_in(archive: zipfile.ZipFile, path: Path, member: str | None) -> str:
    """Return the name of the member to read: the one asked for, or the only table there is."""
    names = [i.filename for i in archive.infolist() if not i.is_dir() and not i.filename.startswith("__MACOSX/")]
    if member is not None:
        if member not in names:
            raise InputError(f"{path} has no member {member!r}; it holds {', '.join(names) or 'nothing'}")
        return member
    tables = [name for name in names if name.endswith(_TABLE_ENDINGS)] or names
    if len(tables) != 1:
        raise InputError(
            f"{path} holds {len(tables)} tables: name one with `member`: {', '.join(tables)}"
            if tables
            else f"{path} is an empty archive"
        )
    return tables[0]
