"""Numbers as readable text."""

import math

ABSENT = "\N{EN DASH}"
"""Shown in place of a missing figure."""


def number(value: float | None, digits: int = 3) -> str:
    """Return a figure; "not defined" for NaN, a dash for None."""
    if value is None:
        return ABSENT
    return f"{value:.{digits}f}" if math.isfinite(value) else "not defined"


def percent(share: float | None, digits: int | None = None) -> str:
    """Return a share in per cent, with one decimal if it is below 10 % and not a whole number."""
    if share is None or not math.isfinite(share):
        return ABSENT
    value = 100 * share
    if digits is None:
        digits = 0 if abs(value) >= 9.95 or abs(value - round(value)) < 1e-9 else 1
    if 0 < value < 0.5 * 10**-digits:
        return f"< {10**-digits:g} %"
    return f"{value:.{digits}f} %"


def short(value: float) -> str:
    """Return a setting in few digits."""
    return f"{value:g}"


def count(value: int) -> str:
    """Return a whole number with separators."""
    return f"{value:,}"


def listed(items: list[str], last: str = "and") -> str:
    """Return some items as a list in a sentence."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {last} {items[-1]}"


def several(value: int, one: str, many: str | None = None) -> str:
    """Return a number and what it counts, such as "1 check" or "3 checks"."""
    return f"{value:,} {one if value == 1 else many or one + 's'}"
