"""Progress of long computations: a few log lines, and callbacks for listeners.

A computation that may take long opens a Stage and reports its progress. A caller can follow it with `reporting`,
for example to draw a bar. Without a listener there are only a few lines in the log "nadp.runtime.progress", the first
after ten seconds.
"""

import logging
import math
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Self, TypeVar

_log = logging.getLogger(__name__)
_FIRST, _LONGEST = 10.0, 300.0  # seconds between two lines of the log
T = TypeVar("T")
Clock = Callable[[], float]
Listener = Callable[["Stage"], None]
_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


class Estimate:
    """Estimate of the remaining time, from the time that finished units took.

    Given units (for example from a cache) count as done, but the estimate ignores them and the time spent on them.

    Args:
        total: number of units.
        given: number of them that were done before.
        clock: seconds.
    """

    def __init__(self, total: int, given: int = 0, clock: Clock = time.monotonic) -> None:
        self._left, self._clock = max(0, total - given), clock
        self._measured, self._spent, self._last = 0, 0.0, clock()

    def add(self, units: int, *, given: bool = False) -> None:
        """Count some more units as done."""
        now = self._clock()
        self._left = max(0, self._left - units)
        if not given:
            self._measured += units
            self._spent += now - self._last
        self._last = now

    @property
    def seconds(self) -> float | None:
        """The remaining seconds from now; None until a unit has been measured."""
        if not self._left:
            return 0.0
        if not self._measured:
            return None
        return max(0.0, self._spent / self._measured * self._left - (self._clock() - self._last))


class Seldom:
    """Decides when to log another line: after ten seconds, then after pauses that double up to five minutes."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._clock, self._pause = clock, _FIRST
        self._next = clock() + _FIRST

    def due(self) -> bool:
        """Return whether a line is due; if so, the next pause begins."""
        now = self._clock()
        if now < self._next:
            return False
        self._pause = min(2 * self._pause, _LONGEST)
        self._next = now + self._pause
        return True


class Stage:
    """A part of a long computation, for a `with` block; one thread at a time may use it.

    Attributes:
        name: name of the work.
        total: number of units; 0 if unknown.
        unit: what is counted.
        of: the larger computation to which it belongs; "" if there is none.
        done: number of finished units.
        ended: whether the block was left.

    Args:
        name: name of the work.
        total: number of units; 0 if unknown.
        unit: what is counted, as a plural.
        given: number of units that were done before.
        of: the larger computation to which it belongs.
        clock: seconds.
    """

    def __init__(  # noqa: PLR0913 - everything that a stage reports
        self, name: str, total: int, unit: str = "rows", *, given: int = 0, of: str = "", clock: Clock = time.monotonic
    ) -> None:
        self.name, self.total, self.unit, self.of, self.done, self.ended = name, total, unit, of, given, False
        self._estimate, self._log_schedule = Estimate(total, given, clock), Seldom(clock)
        self._clock, self._begun = clock, clock()

    def __enter__(self) -> Self:
        self._notify_listener()
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self.ended = True
        if kind is None and self.elapsed >= _FIRST:
            _log.info("%s: %s %s in %s", self.name, f"{self.done:,}", self.unit, duration(self.elapsed))
        self._notify_listener()

    def advance(self, units: int, *, given: bool = False) -> None:
        """Count some more units as done; given units do not enter the time estimate."""
        self._estimate.add(units, given=given)
        self.done += units
        if self.done != self.total and self._log_schedule.due():
            _log.info("%s", str(self))  # computed now, since a handler may read it later
        self._notify_listener()

    def reach(self, done: int) -> None:
        """Set the total number of finished units."""
        self.advance(done - self.done)

    @property
    def elapsed(self) -> float:
        """Seconds since the beginning."""
        return self._clock() - self._begun

    @property
    def left(self) -> float | None:
        """Remaining seconds; None if unknown."""
        return self._estimate.seconds if self.total else None

    @property
    def counts(self) -> str:
        """What is done, and the remaining time, in words."""
        if not self.total:
            return f"{self.done:,} {self.unit}"
        return f"{self.done:,} of {self.total:,} {self.unit}{rest(self.left)}"

    def __str__(self) -> str:
        share = f"{percent(self.done, self.total)} %, " if self.total else ""
        return f"{self.name}: {share}{self.counts}"

    def _notify_listener(self) -> None:
        listener = _listener.get()
        if listener is not None:
            listener(self)


def tracked(items: Collection[T], name: str, unit: str) -> Iterator[T]:
    """Yield some items as a stage, each counted as done when the next one is requested."""
    with Stage(name, len(items), unit) as stage:
        for item in items:
            yield item
            stage.advance(1)


@contextmanager
def reporting(listener: Listener) -> Iterator[None]:
    """Call a function whenever a stage in this block begins, advances or ends.

    Threads report only if they run in a copy of this context. Several threads may call the listener at once.
    """
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def percent(done: int, total: int) -> int:
    """Return the finished share in whole per cent, 100 only if everything is done; total must be above 0."""
    return min(100, 100 * done // total)


def megabytes(count: int) -> int:
    """Return a number of bytes in megabytes, rounded up."""
    return math.ceil(count / 1e6)


def rest(seconds: float | None) -> str:
    """Return the remaining time as the end of a sentence; "" if it is unknown or 0."""
    return f", about {duration(seconds)} left" if seconds else ""


def duration(seconds: float) -> str:
    """Return a duration in words, in a suitable unit."""
    for size, name in ((3600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {name}"
    return "1 second" if 0 < seconds < 1.5 else f"{seconds:.0f} seconds"
