"""Files that outlive a loss of power, and a lock that dies with its holder."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def flush(path: Path) -> None:
    """See that a file, or the names in a folder, outlive a loss of power."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def put(content: str, place: Path, scratch: Path) -> None:
    """Write a small file that appears whole or not at all.

    Args:
        content: of the file.
        place: where it goes; what is there is replaced.
        scratch: where it is written first, on the same file system.
    """
    try:
        scratch.write_text(content, encoding="utf-8")
        flush(scratch)
        scratch.replace(place)
    finally:
        scratch.unlink(missing_ok=True)
    flush(place.parent)


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
