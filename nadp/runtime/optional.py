"""Imports of optional packages."""

from collections.abc import Iterator
from contextlib import contextmanager

from nadp.errors import InputError
from nadp.runtime.memory import is_lack_of_memory


@contextmanager
def optional(extra: str, what: str) -> Iterator[None]:
    """Turn a failed import in this block into a message that names the extra to install.

    Args:
        extra: extra of nadp that installs the package.
        what: the feature that needs the package, as the beginning of a sentence.

    Raises:
        InputError: if an import fails.
    """
    try:
        yield
    except ImportError as error:
        if is_lack_of_memory(error):  # the package is installed, but cannot be loaded
            raise
        raise InputError(f"{what} needs a missing package ({error}): pip install 'nadp[{extra}]'") from error
