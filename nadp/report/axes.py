"""Axes of figures: positions of values, and ticks."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

_NICE = (1, 2, 2.5, 5, 10)
_WANTED = 4  # ticks, or a few more
_EDGE = 0.05  # of the range: margin at both ends
_ROOM = 1.15  # ratio: margin at both ends
_APART = 0.09  # of the axis: least distance between two labels


@dataclass(frozen=True)
class Axis:
    """From the least to the largest value of a figure.

    Attributes:
        low: the value at its beginning.
        high: the value at its end.
        ticks: values and their labels.
        label: label of the axis.
        log: whether it is logarithmic.
    """

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    label: str = ""
    log: bool = False

    def at(self, value: float) -> float:
        """Return the position of a value, from 0 to 1; values outside are moved to the nearer end."""
        low, high, value = (math.log(v) if self.log else v for v in (self.low, self.high, self._inside(value)))
        return (value - low) / (high - low)

    def _inside(self, value: float) -> float:
        return min(max(value, self.low), self.high)


def linear(values: Iterable[float], label: str = "", *, to: Sequence[float] = ()) -> Axis:
    """Return an axis for the finite ones of some values, with round ticks.

    Args:
        values: to show.
        label: label of the axis.
        to: values that it must reach, with no margin beyond them.
    """
    finite = [value for value in (*values, *to) if math.isfinite(value)] or [0.0, 1.0]
    low, high = min(finite), max(finite)
    margin = _EDGE * (high - low) or 0.1 * abs(high) or 1.0
    low, high = (low if low in to else low - margin), (high if high in to else high + margin)
    step = _step((high - low) / _WANTED)
    digits = next(n for n in range(20) if math.isclose(round(step, n), step))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    ticks = tuple((n * step, f"{n * step + 0.0:.{digits}f}") for n in range(first, last + 1))
    return Axis(low, high, ticks, label)


def shares(label: str) -> Axis:
    """Return an axis of shares from 0.1 % to 100 %, in per cent, that spreads small shares."""
    ticks = ((0.001, "0.1"), (0.01, "1"), (0.1, "10"), (0.5, "50"), (1.0, "100"))
    return Axis(0.001, 1.0, ticks, label, log=True)


def settings(values: Sequence[float], label: str) -> Axis:
    """Return an axis of the settings of curves, such as epsilons; labels that would overlap are left out."""
    ordered = sorted(set(values)) or [1.0]
    positive = [value for value in ordered if value > 0] or [1.0]
    low = positive[0] / (2 if ordered[0] == 0 else _ROOM)
    axis = Axis(low, positive[-1] * _ROOM, (), label, log=True)
    ticks: list[tuple[float, str]] = []
    for value in ordered[::-1]:
        if not ticks or axis.at(ticks[-1][0]) - axis.at(value) > _APART:
            ticks.append((max(value, low), f"{value:g}"))
    return replace(axis, ticks=tuple(ticks[::-1]))


def _step(minimum: float) -> float:
    """Return the smallest round number that is not below `minimum`."""
    power = 10.0 ** math.floor(math.log10(minimum))
    return next(nice * power for nice in _NICE if nice * power >= minimum * (1 - 1e-9))
