"""Errors that a user can fix: each names the offending value and what to do."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nadp.mechanisms.preconditions import Measure


class InputError(ValueError):
    """A file or a parameter that cannot be used."""


class FormatError(InputError):
    """A file that is damaged or of another format; the message names the file and the line."""


class BudgetError(InputError):
    """A release or a text that would exceed its privacy budget."""


class RefusedError(InputError):
    """A refused release; the message names each measure that failed."""

    def __init__(self, measures: "Sequence[Measure]") -> None:
        self.measures = measures
        reasons = "; ".join(str(measure) for measure in measures if not measure.passed)
        super().__init__(f"not released: {reasons}")


class NoSensitivityError(InputError):
    """A neighbour graph without edges, which has no sensitivity to calibrate to."""


def one_of(value: object, choices: Iterable[str]) -> str:
    """Return the part of a message about a value that is not one of the choices, with the closest choice."""
    known = list(choices)
    close = get_close_matches(str(value), known, 1)
    return f"must be one of {', '.join(known)}, not {value!r}" + (f": did you mean {close[0]!r}?" if close else "")
