"""Files that appear whole or not at all, and outlive a loss of power; and locks that die with their holder."""

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
"""What a file is to hold: text (as UTF-8), bytes, or a function that fills the file of a given name."""


def put(path: Path, content: Content, *, private: bool = False) -> None:
    """Write a file that appears whole or not at all; what is there is replaced and keeps its permissions.

    Args:
        path: of the file; its folder is made if there is none. A symbolic link stays one, and its target is replaced.
        content: of the file.
        private: whether a new file can be read by its owner only.
    """
    path = Path(os.path.realpath(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    with new_file(path.parent, suffixes(path), private=private) as part:
        fill(part, content)
        with suppress(FileNotFoundError):
            part.chmod(path.stat().st_mode & 0o7777)
        move(part, path)


def suffixes(path: Path) -> str:
    """Return the end of a name that tells the format, such as .txt.gz."""
    return "".join(path.suffixes[-2:])


def fill(path: Path, content: Content) -> None:
    """Write a file that nobody reads yet."""
    if callable(content):
        content(path)
    else:
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def move(part: Path, place: Path) -> None:
    """Move a finished file to its place in the same file system; what is there is replaced."""
    flush(part)
    part.replace(place)
    flush(place.parent)


def flush(path: Path) -> None:
    """See that a file, or the names in a folder, outlive a loss of power."""
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
    """Yield the name of a new, hidden file of a folder; what is left under this name at the end is removed.

    If this process is killed, the next one that writes to the folder removes the file.

    Args:
        folder: where it is made.
        suffix: of its name.
        private: whether it can be read by its owner only; else it has the permissions of the user's other files.
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
            fcntl.flock(part, fcntl.LOCK_EX | fcntl.LOCK_NB)  # refused where the writer lives
            path.unlink()


_clear = cache(remove_parts_of_the_dead)  # once in the life of a process: a folder may hold many files


def _begun(folder: Path, suffix: str, mode: int) -> BinaryIO:
    """Return a new file that is locked until it is closed, or this process ends."""
    while True:
        path = folder / f".part-{uuid.uuid4().hex}{suffix}"
        part = open(path, "xb", opener=partial(os.open, mode=mode))  # noqa: SIM115 - Path.open has no mode
        fcntl.flock(part, fcntl.LOCK_EX)
        if os.fstat(part.fileno()).st_nlink:
            return part
        part.close()  # another process saw it before it was locked, and took its writer for dead


def make_private(path: Path) -> None:
    """Make an empty file that its owner only can read, if there is none; one that is there is closed to others.

    A group keeps what it may do if it may write: its members share the file.
    """
    handle = os.open(path, os.O_RDONLY | os.O_CREAT, 0o600)
    try:
        mode = os.fstat(handle).st_mode & 0o7777
        kept = mode & (0o770 if mode & 0o020 else 0o700)
        if kept != mode:
            with suppress(PermissionError):  # another member of the group owns it
                os.fchmod(handle, kept)
    finally:
        os.close(handle)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock against all other threads and processes; the operating system takes it from one that dies.

    Args:
        path: of the lock's file, which is left behind.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
