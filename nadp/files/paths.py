"""Paths that a user gives, and the folders of runs."""

from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import overload


@overload
def absolute(path: str | Path) -> Path: ...
@overload
def absolute(path: str | Path | None) -> Path | None: ...
def absolute(path: str | Path | None) -> Path | None:
    """Return the absolute path of a file or folder, with the home directory for a leading ~; None for None."""
    return None if path is None else Path(path).expanduser().absolute()


def new_folder(kind: str) -> str:
    """Create the folder runs/KIND-TIME and return it; a second run in the same second gets a number as well."""
    stem = f"runs/{kind}-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    for number in count(1):
        folder = stem if number == 1 else f"{stem}-{number}"
        try:
            Path(folder).mkdir(parents=True)
        except FileExistsError:
            continue
        break
    return folder
