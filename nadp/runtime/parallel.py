"""Blocks of rows on several threads, each with single-threaded BLAS: the number of threads changes no result."""

import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import lru_cache, partial
from typing import Any, TypeVar

from threadpoolctl import ThreadpoolController

from nadp.runtime.memory import has_room
from nadp.runtime.processors import processors
from nadp.runtime.progress import Stage

_BUFFER = 48_000_000  # bytes: OpenBLAS maps 33 MB for each thread that calls it, and a thread has a stack of 8 MB
_LOADED = 100_000_000  # bytes: compiled functions are loaded while the first blocks are computed
T = TypeVar("T")


def cores() -> int:
    """Return the number of processors that this process may use."""
    return min(processors(), _share.max_cores)


def use_at_most(processors: int) -> None:
    """Limit the number of processors that this process uses, for example if several processes share the machine."""
    _share.max_cores = max(1, processors)


def for_blocks(work: Callable[[slice], None], rows: int, size: int, doing: str) -> None:
    """Call `work` for slices of at most `size` rows that make up `rows`, on all cores, as a named stage.

    Calls from several threads share the cores.
    """
    with Stage(doing, rows) as stage:
        for block in each_done(work, [slices(rows, size)]):
            stage.reach(block.stop)


def each_done(work: Callable[[T], None], rounds: Iterable[Sequence[T]]) -> Iterator[T]:
    """Call `work` for each item on all cores, one round after the other, and yield the finished items in order.

    Args:
        work: called for each item; calls of one round must be independent.
        rounds: rounds of items.
    """
    with _share.plain_blas() as blas, ExitStack() as stack:
        run: Callable[[Callable[[T], None], Sequence[T]], Iterator[None]] = map
        if not _share.holds_a_core():  # a nested call starts no threads: all cores may be waiting for it
            pool = stack.enter_context(ThreadPoolExecutor(cores(), initializer=blas.use_one_thread))
            work, run = partial(_share.on_a_core, work), partial(_started, pool)
        for items in rounds:
            _share.make_sure_of_room(min(len(items), cores()))
            for item, _ in zip(items, run(work, items), strict=True):
                yield item


def _started(pool: ThreadPoolExecutor, work: Callable[[T], None], items: Sequence[T]) -> Iterator[None]:
    """Return the results of `work` for the items, once all are submitted."""
    try:
        return pool.map(work, items)
    except RuntimeError as error:  # Python's error if a thread cannot start
        raise MemoryError("no thread can be started: there is too little memory, or too many threads") from error


def slices(rows: int, size: int) -> list[slice]:
    """Return the slices of at most `size` rows that make up `rows`."""
    return [slice(start, min(start + size, rows)) for start in range(0, rows, size)]


class _Blas:
    """The loaded BLAS libraries. Some have one global number of threads, others have one for each thread."""

    def __init__(self) -> None:
        self._libraries = _libraries(len(sys.modules))
        self._threads_before = [library.get_num_threads() for library in self._libraries]

    def use_one_thread(self) -> None:
        """Make BLAS use one thread when it is called from this thread."""
        for library in self._libraries:
            _set(library, 1)

    def use_as_before(self) -> None:
        """Restore the numbers of threads, unless something else has changed them since."""
        for library, threads in zip(self._libraries, self._threads_before, strict=True):
            if library.get_num_threads() == 1:
                _set(library, threads)


@lru_cache(maxsize=1)
def _libraries(modules: int) -> list[Any]:
    """Return the controllers of this process's BLAS libraries; the search is repeated when more modules are imported.

    Args:
        modules: number of imported modules; importing a module may load a library.
    """
    del modules
    return list(ThreadpoolController().select(user_api="blas").lib_controllers)


def _set(library: Any, threads: int) -> None:  # noqa: ANN401 - a controller of threadpoolctl
    """Set the number of threads from any thread; threadpoolctl 3.8 and later obey only the thread that set it last."""
    release = getattr(library, "clear_controlling_thread", lambda **_: None)
    release(force=True)
    library.set_num_threads(threads)
    release(force=True)


class _Share:
    """State shared by all calls in this process: the cores, and the global number of BLAS threads."""

    def __init__(self) -> None:
        self.max_cores = 1 << 20
        self._change = threading.Condition()
        self._busy, self._calls, self._threads_with_room = 0, 0, 0
        self._thread_state = threading.local()

    def make_sure_of_room(self, threads: int) -> None:
        """Raise an error if so many threads have no memory for products, where OpenBLAS would end the process.

        OpenBLAS keeps what it once had, so only a larger number of threads is checked again.
        """
        with self._change:
            if threads > self._threads_with_room:
                if not has_room(_LOADED + threads * _BUFFER):
                    raise MemoryError("too little memory is left for products of matrices")
                self._threads_with_room = threads

    def holds_a_core(self) -> bool:
        """Return whether this thread works on a block."""
        return getattr(self._thread_state, "busy", False)

    def on_a_core(self, work: Callable[[T], None], item: T) -> None:
        """Call `work` once a core is free."""
        with self._change:
            self._change.wait_for(lambda: self._busy < cores())
            self._busy += 1
        self._thread_state.busy = True
        try:
            work(item)
        finally:
            self._thread_state.busy = False
            with self._change:
                self._busy -= 1
                self._change.notify_all()

    @contextmanager
    def plain_blas(self) -> Iterator[_Blas]:
        """Hold BLAS at one thread: the first caller sets it, the last one restores it."""
        with self._change:
            if not self._calls:
                self._blas = _Blas()
                self._blas.use_one_thread()
            self._calls += 1
        try:
            yield self._blas
        finally:
            with self._change:
                self._calls -= 1
                if not self._calls:
                    self._blas.use_as_before()


_share = _Share()
