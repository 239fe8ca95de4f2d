"""The errors a user can mend: each names the offending value and what to do."""

from collections.abc import Iterable
from difflib import get_close_matches


class InputError(ValueError):
    """Something that was given to us (a file, a parameter) cannot be used as it is."""


class FormatError(InputError):
    """A file is not what it claims to be; the message names the file and the line."""


class BudgetError(InputError):
    """Something would cost more than its budget allows."""


class NoSensitivityError(InputError):
    """The neighbour graph leaves a mechanism without a sensitivity to calibrate to."""


def one_of(value: object, choices: Iterable[str]) -> str:
    """Return what a message says of a value that is none of the choices, with the one that may be meant."""
    known = list(choices)
    close = get_close_matches(str(value), known, 1)
    return f"must be one of {', '.join(known)}, not {value!r}" + (f": did you mean {close[0]!r}?" if close else "")
