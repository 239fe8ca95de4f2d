"""The errors a user can mend: each names the offending value and what to do."""


class InputError(ValueError):
    """Something that was given to us (a file, a parameter) cannot be used as it is."""


class FormatError(InputError):
    """A file is not what it claims to be; the message names the file and the line."""


class BudgetError(InputError):
    """Something would cost more than its budget allows."""


class NoSensitivityError(InputError):
    """The neighbour graph leaves a mechanism without a sensitivity to calibrate to."""
