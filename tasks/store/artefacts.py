"""The content store: files named by their SHA-256, and the small references to them that travel between tasks.

Where there is a shared store, a reference holds the URL of its file there; the file is brought here when it is needed.
"""

import fcntl
import hashlib
import logging
import os
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from tasks.store import sharing
from tasks.store.home import home

T = TypeVar("T")
_log = logging.getLogger("nadp.artefacts")


@dataclass(frozen=True)
class Artefact:
    """A file: where it is and what it holds, byte for byte.

    Attributes:
        path: of the file, or its URL in the shared store.
        sha256: of its content.
        size: bytes.
    """

    path: str
    sha256: str
    size: int

    def local(self) -> Path:
        """Return where the file lies on this machine; one of the shared store is brought here first, and checked.

        Raises:
            FileNotFoundError: if the store has no such file, or a damaged one.
        """
        path = sharing.here(self.path)
        if self._is_shared() and not path.is_file() and not brought(path, self._is):
            raise FileNotFoundError(f"{self.path} is gone or was damaged: run again, and it is made again")
        return path

    def is_intact(self) -> bool:
        """Return whether the file is there and still holds what it held, here and, as far as is known, in the store."""
        path = sharing.here(self.path)
        if not self._is(path):
            return self._is_shared() and brought(path, self._is)
        if self._is_shared() and not sharing.is_shared(path):
            sharing.share(path)
        return True

    def _is(self, path: Path) -> bool:
        return path.is_file() and path.stat().st_size == self.size and digest(path) == self.sha256

    def _is_shared(self) -> bool:
        return str(sharing.here(self.path)) != self.path


def artefact(path: Path) -> Artefact:
    """Return the reference to a file that is there already."""
    return Artefact(str(path), digest(path), path.stat().st_size)


def digest(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def stored(write: Callable[[Path], None], suffix: str) -> Artefact:
    """Return the reference to a new file of the store that `write` fills.

    The file appears whole or not at all: it is written under another name, flushed to the disk, and renamed.
    """
    folder = home() / "artefacts"
    folder.mkdir(parents=True, exist_ok=True)
    with scratch(folder, suffix) as path:
        write(path)
        flush(path)
        found = artefact(path)
        target = folder / f"{found.sha256}{suffix}"
        path.replace(target)
    if not sharing.is_shared(target):
        sharing.share(target)
    return Artefact(sharing.address(target), found.sha256, found.size)


def stored_text(text: str, suffix: str) -> Artefact:
    """Return the reference to a new text file of the store."""

    def write(path: Path) -> None:
        path.write_text(text, encoding="utf-8")

    return stored(write, suffix)


@contextmanager
def scratch(folder: Path, suffix: str) -> Iterator[Path]:
    """Yield the name of a new file in a folder; what is left of it at the end is removed.

    If this process is killed, the next one that writes to the folder removes it.
    """
    _remove_parts_of_the_dead(folder)
    with _begun(folder, suffix) as part:
        path = Path(part.name)
        try:
            yield path
        finally:
            path.unlink(missing_ok=True)


def _begun(folder: Path, suffix: str) -> BinaryIO:
    """Return a new file that is locked until it is closed, or this process ends."""
    while True:
        # With the permissions that the user's other files get
        part = (folder / f".part-{uuid.uuid4().hex}{suffix}").open("xb")
        fcntl.flock(part, fcntl.LOCK_EX)
        if os.fstat(part.fileno()).st_nlink:
            return part
        part.close()  # another process saw it before it was locked, and took it for a dead one's


@cache
def _remove_parts_of_the_dead(folder: Path) -> None:
    """Remove what killed processes had begun in a folder; looked for once in the life of a process."""
    for path in folder.glob(".part-*"):
        with suppress(OSError), path.open("r+b") as part:
            fcntl.flock(part, fcntl.LOCK_EX | fcntl.LOCK_NB)  # refused where the process that began it lives
            path.unlink()


def flush(path: Path) -> None:
    """Make the disk hold a file before its name says so."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def replaced(path: Path, content: str | bytes) -> None:
    """Write a file that appears whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with scratch(path.parent, path.suffix) as part:
        part.write_bytes(content.encode() if isinstance(content, str) else content)
        flush(part)
        part.replace(path)


def brought(path: Path, is_good: Callable[[Path], bool]) -> bool:
    """Bring a file from the shared store; return whether it was there and is what it must be.

    One that is not is removed from the store, so that it is made again.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with scratch(path.parent, path.suffix) as part:
        if not sharing.fetch(path, part):
            return False
        if not is_good(part):
            _log.warning("%s is damaged and has been removed from the store", sharing.address(path))
            sharing.discard(path)
            return False
        flush(part)
        part.replace(path)
    return True


@lru_cache(maxsize=16)
def loaded(reference: Artefact, load: Callable[[Path], T]) -> Any:  # noqa: ANN401 - what `load` returns
    """Return what `load` reads from an artefact, kept in this process for the next task that asks."""
    return load(reference.local())
