"""Atomic, durable writes, and locks that end with the process that holds them."""

import errno
import fcntl
import hashlib
import os
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from typing import BinaryIO

Content = str | bytes | Callable[[Path], object]
"""Content of a file: text (written as UTF-8), bytes, or a function that writes to a given path."""


def put(path: Path, content: Content, *, private: bool = False) -> None:
    """Write a file atomically. An existing file is replaced and keeps its permissions.

    Args:
        path: path of the file; its folder is created if missing. A symbolic link is kept, and its target replaced.
        content: content of the file.
        private: whether only its owner can read a new file.
    """
    path = Path(os.path.realpath(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    with new_file(path.parent, suffixes(path), private=private) as part:
        fill(part, content)
        with suppress(FileNotFoundError):
            part.chmod(path.stat().st_mode & 0o7777)
        move(part, path)


def suffixes(path: Path) -> str:
    """Return the suffix that determines the format, such as .txt.gz."""
    return "".join(path.suffixes[-2:])


def fill(path: Path, content: Content) -> None:
    """Write a file that no other process reads yet."""
    if callable(content):
        content(path)
    else:
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def move(part: Path, place: Path) -> None:
    """Move a finished file to its place in the same file system, replacing any file there."""
    flush(part)
    part.replace(place)
    flush(place.parent)


def flush(path: Path) -> None:
    """Flush a file, or the names in a folder, to the disk, so that they survive a power failure."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:  # some network file systems cannot flush a folder
        if error.errno != errno.EINVAL or not path.is_dir():
            raise
    finally:
        os.close(handle)


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def new_file(folder: Path, suffix: str = "", *, private: bool = False) -> Iterator[Path]:
    """Yield the name of a new, hidden file in a folder. If the file still exists at the end, it is removed.

    If this process is killed, the next process that writes to the folder removes the file.

    Args:
        folder: folder of the file.
        suffix: suffix of its name.
        private: whether only its owner can read it; otherwise it has the user's default permissions.
    """
    _clear(folder)
    with _begun(folder, suffix, 0o600 if private else 0o666) as part:
        path = Path(part.name)
        try:
            yield path
        finally:
            path.unlink(missing_ok=True)


def remove_parts_of_the_dead(folder: Path) -> None:
    """Remove the new files of a folder whose writers were killed."""
    for path in folder.glob(".part-*"):
        with suppress(OSError), path.open("r+b") as part:
            fcntl.flock(part, fcntl.LOCK_EX | fcntl.LOCK_NB)  # fails while the writer is alive
            path.unlink()


_clear = cache(remove_parts_of_the_dead)  # once per process: a folder may hold many files


def _begun(folder: Path, suffix: str, mode: int) -> BinaryIO:
    """Return a new file that is locked until it is closed, or this process ends."""
    while True:
        path = folder / f".part-{uuid.uuid4().hex}{suffix}"
        part = open(path, "xb", opener=partial(os.open, mode=mode))  # noqa: SIM115 - Path.open has no mode
        fcntl.flock(part, fcntl.LOCK_EX)
        if os.fstat(part.fileno()).st_nlink:
            return part
        part.close()  # before the lock, another process removed it as abandoned


def make_private(path: Path) -> None:
    """Create an empty file that only its owner can read, or restrict an existing file to its owner.

    If its group may write, the group keeps its permissions: its members share the file.
    """
    handle = os.open(path, os.O_RDONLY | os.O_CREAT, 0o600)
    try:
        mode = os.fstat(handle).st_mode & 0o7777
        private_mode = mode & (0o770 if mode & 0o020 else 0o700)
        if private_mode != mode:
            with suppress(PermissionError):  # another member of the group owns it
                os.fchmod(handle, private_mode)
    finally:
        os.close(handle)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock that excludes all other threads and processes. The operating system releases it if the process dies.

    Args:
        path: path of the lock's file, which is not removed.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
