"""Blocks of rows on several threads, each with a BLAS of one thread: the number of threads changes no result."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

from threadpoolctl import threadpool_limits


def cores() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def for_blocks(work: Callable[[slice], None], rows: int, size: int) -> None:
    """Call `work` for the slices of at most `size` rows that make up `rows`, on all cores."""
    with threadpool_limits(limits=1, user_api="blas"), ThreadPoolExecutor(cores()) as pool:
        for _ in pool.map(work, _slices(rows, size)):
            pass


def _slices(rows: int, size: int) -> Iterator[slice]:
    return (slice(start, min(start + size, rows)) for start in range(0, rows, size))
