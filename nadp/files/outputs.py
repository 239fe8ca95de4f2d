"""Outputs that would overwrite an input."""

from collections.abc import Iterable
from pathlib import Path

from nadp.errors import InputError


def refuse_inputs(outputs: Iterable[Path], *inputs: str | Path | None) -> None:
    """Refuse an output that is also an input, under any name: it would replace the private data.

    Args:
        outputs: files that will be written.
        inputs: files that will be read; None and names that are not files, such as that of a published table, are
            ignored.

    Raises:
        InputError: if a file is both.
    """
    read = [path for path in (Path(given).expanduser() for given in inputs if given is not None) if path.is_file()]
    for output in outputs:
        for path in read:
            if output.exists() and output.samefile(path):
                raise InputError(f"{output} is the input {path}, which it would replace: choose another out")
