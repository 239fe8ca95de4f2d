"""How far a run is, in a line now and then."""

import time
from collections.abc import Callable

_LINES = 20


class Progress:
    """Counts what is done.

    Args:
        parts: how many there are.
        texts: in all of them.
        clock: seconds, from whenever.
    """

    def __init__(self, parts: int, texts: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._parts, self._texts, self._clock = parts, texts, clock
        self._began = clock()
        self._parts_done = self._texts_done = self._texts_new = self._told = 0

    def after(self, texts: int, new: bool) -> str:
        """Return what to say after one more part, about twenty times in a run; empty if nothing.

        Args:
            texts: of the part.
            new: whether it was made now, so that it tells how long the others take.
        """
        self._parts_done += 1
        self._texts_done += texts
        self._texts_new += texts if new else 0
        twentieth = self._parts_done * _LINES // self._parts
        if twentieth == self._told:
            return ""
        self._told = twentieth
        said = f"{self._parts_done:,} of {self._parts:,} parts, {self._texts_done:,} of {self._texts:,} texts"
        left = self._texts - self._texts_done
        if not left or not self._texts_new:
            return said
        seconds = (self._clock() - self._began) / self._texts_new * left
        return f"{said}, about {seconds / 60:.0f} min left" if seconds >= 90 else f"{said}, about {seconds:.0f} s left"
