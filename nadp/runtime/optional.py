"""Imports of packages that not everybody installs."""

from collections.abc import Iterator
from contextlib import contextmanager

from nadp.errors import InputError


@contextmanager
def optional(extra: str, what: str) -> Iterator[None]:
    """Turn a failing import in this block into a message that says what to install.

    Args:
        extra: of nadp that brings the package along.
        what: needs it, as the beginning of a sentence.

    Raises:
        InputError: if an import fails.
    """
    try:
        yield
    except ImportError as error:
        raise InputError(f"{what} needs what is not installed ({error}): pip install 'nadp[{extra}]'") from error
