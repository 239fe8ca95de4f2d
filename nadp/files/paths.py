"""Paths that a user gives."""

from pathlib import Path
from typing import overload


@overload
def absolute(path: str | Path) -> Path: ...
@overload
def absolute(path: str | Path | None) -> Path | None: ...
def absolute(path: str | Path | None) -> Path | None:
    """Return the absolute path of a file or folder, with the home directory for a leading ~; None for None."""
    return None if path is None else Path(path).expanduser().absolute()
