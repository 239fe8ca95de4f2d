"""Blocks of rows on several threads, each with a BLAS of one thread: the number of threads changes no result."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from threadpoolctl import threadpool_limits

from nadp.runtime.progress import Stage


def cores() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def for_blocks(work: Callable[[slice], None], rows: int, size: int, doing: str) -> None:
    """Call `work` for the slices of at most `size` rows that make up `rows`, on all cores, as a stage of a name."""
    blocks = _slices(rows, size)
    limits = threadpool_limits(limits=1, user_api="blas")
    with limits, Stage(doing, rows) as stage, ThreadPoolExecutor(cores()) as pool:
        for block, _ in zip(blocks, pool.map(work, blocks), strict=True):
            stage.reach(block.stop)


def _slices(rows: int, size: int) -> list[slice]:
    return [slice(start, min(start + size, rows)) for start in range(0, rows, size)]
