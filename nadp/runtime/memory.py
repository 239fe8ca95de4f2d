"""Errors from too little memory: libraries that cannot be loaded raise errors of many kinds."""

import mmap
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_ROOM = 1 << 28  # bytes; the largest library takes about half of it
_KINDS = (MemoryError, ImportError, OSError, SystemError, RuntimeError)  # of Python, numba and Prefect, without memory


def is_lack_of_memory(error: BaseException | None) -> bool:
    """Return whether an error means that memory is full, or may be caused by it because little memory is left."""
    return isinstance(error, MemoryError) or (isinstance(error, _KINDS) and _is_short())


@contextmanager
def memory_needed() -> Iterator[None]:
    """End the process with one line if this block runs out of memory."""
    try:
        yield
    except _KINDS as error:
        if not is_lack_of_memory(error):
            raise
        detail = str(error) if isinstance(error, MemoryError) else ""
        raise SystemExit(
            f"failed: {detail or 'out of memory'}: give the process more memory, or take fewer words"
        ) from error


def give_back() -> None:
    """Return freed memory to the system: many small blocks keep it in the process, where large arrays cannot use it."""
    import ctypes  # noqa: PLC0415 - slow to import

    with suppress(OSError, AttributeError, TypeError):  # a C library other than glibc
        ctypes.CDLL(None).malloc_trim(0)


def _is_short() -> bool:
    """Return whether this process cannot get another 256 MB."""
    try:
        mmap.mmap(-1, _ROOM).close()
    except (OSError, MemoryError):
        return True
    return False
