"""Outputs that would overwrite what is read."""

from collections.abc import Iterable
from pathlib import Path

from nadp.errors import InputError


def refuse_inputs(outputs: Iterable[Path], *inputs: str | Path | None) -> None:
    """Refuse an output that is an input, whatever it is called: what is private would be replaced, and lost.

    Args:
        outputs: the files that will be written.
        inputs: those that will be read; None, and what is no file, such as the name of a published table, is left out.

    Raises:
        InputError: if one is both.
    """
    read = [path for path in (Path(given).expanduser() for given in inputs if given is not None) if path.is_file()]
    for output in outputs:
        for path in read:
            if output.exists() and output.samefile(path):
                raise InputError(f"{output} is the input {path}, which would be replaced: choose another out")
