"""Outputs that would overwrite an input or one another."""

import os
from collections.abc import Iterable
from pathlib import Path

from nadp.errors import InputError
from nadp.files.model_places import files_of_folder


def refuse_inputs(outputs: Iterable[Path], *inputs: str | Path | None) -> None:
    """Refuse an output that is also an input, under any name, because it would replace the private data.

    Args:
        outputs: files that will be written.
        inputs: files that will be read. None, and names that are not files, such as a published table's, are
            ignored.

    Raises:
        InputError: if a file is both input and output.
    """
    input_paths = [Path(source).expanduser() for source in inputs if source is not None]
    input_files = [path for path in input_paths if path.is_file()]
    input_files += [file for folder in input_paths if folder.is_dir() for file in files_of_folder(folder)]
    for output in outputs:
        for path in input_files:
            if output.exists() and output.samefile(path):
                raise InputError(f"{output} is the input {path}, which it would replace: choose another out")


def refuse_unwritable(outputs: Iterable[Path]) -> None:
    """Refuse outputs that cannot all be written: a file that another one would replace, under any name, or a folder.

    Args:
        outputs: files that will be written.

    Raises:
        InputError: if two outputs are the same file, or one is a folder.
    """
    seen = set[Path]()
    for output in outputs:
        path = Path(os.path.realpath(output))
        if path in seen:
            raise InputError(f"{output} would be written twice, and one file would replace the other: change one path")
        if path.is_dir():
            raise InputError(f"{output} is a folder: name a file")
        seen.add(path)
