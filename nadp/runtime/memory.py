"""Too little memory: libraries that cannot be loaded raise errors of many kinds, or end the process themselves."""

import mmap
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from nadp.runtime.processors import processors

_ROOM = 1 << 28  # bytes; the largest library takes about half of it
_KINDS = (MemoryError, ImportError, OSError, SystemError, RuntimeError)  # of Python, numba and Prefect, without memory

# OpenBLAS reserves 41 MB a thread and ends the process, or hangs, where it cannot. numpy and scipy have one each.
# Measured: 203 MB with 1 thread, 285 MB with 2, 777 MB with 8, and 5365 MB with 64, its largest number.
_FIXED, _PER_THREAD, _MOST_THREADS = 140_000_000, 82_000_000, 64
OPERATION, FLOW = 720_000_000, 1_100_000_000
"""Bytes of address space that an operation, and a flow or its server, take for a small table besides numpy and scipy.

With less, most of them fail with one line, but some are ended by LLVM or hang. Measured on two cores: operations take
970 MB and are completed with a limit of 1000 MB; with 850 MB, LLVM ended an encoding, and with 700 MB another hung.
Releases by a flow take 1260 to 1340 MB.
"""


def address_space_needed(besides: int = 0) -> None:
    """End the process with one line if its limit on address space is below what numpy and scipy need to start.

    Args:
        besides: further bytes that are needed.
    """
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    least = _FIXED + _PER_THREAD + besides
    needed = least + _PER_THREAD * (_blas_threads() - 1)
    if limit != resource.RLIM_INFINITY and limit < needed:
        advice = ", or set OPENBLAS_NUM_THREADS=1" if limit >= least else ""
        raise SystemExit(
            f"error: this process may use {limit / 1e6:,.0f} MB of address space (ulimit -v), and the command needs at "
            f"least {needed / 1e6:,.0f} MB to start: raise the limit{advice}"
        )


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
    return not has_room(_ROOM)


def has_room(size: int) -> bool:
    """Return whether this process can get some more bytes of address space."""
    try:
        mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS).close()
    except (OSError, MemoryError):
        return False
    return True


def _blas_threads() -> int:
    """Return the number of threads that OpenBLAS will start: one a core, unless the environment says less."""
    threads = min(processors(), _MOST_THREADS)
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        value = os.environ.get(name, "")
        if value.isdecimal() and int(value) > 0:
            return min(int(value), threads)
    return threads
