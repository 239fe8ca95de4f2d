"""Records: texts and their places in the file, checked.

Errors name only the place and the reason, never the text: errors end up in logs and databases, and texts are private.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from nadp.errors import FormatError, InputError

Id = int | str
BLANK = "blank lines"
"""Counts of lines that are left out."""
_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,39}|[0-9]{1,2}")  # a text may have no spaces, or be a number
_LARGEST = 2**63 - 1


@dataclass(frozen=True)
class Texts:
    """A file of texts and its columns.

    Attributes:
        path: path of the file.
        text_column: column of the texts, in formats with columns.
        id_column: column of their ids; None for consecutive numbers from 0.
    """

    path: Path
    text_column: str = "text"
    id_column: str | None = None

    def __post_init__(self) -> None:
        if self.id_column == self.text_column:
            raise InputError(f"{self.id_column!r} cannot be the id column: ids are published, and it holds the texts")

    @property
    def columns(self) -> list[str]:
        """The columns that are read, the text column first."""
        return [self.text_column] if self.id_column is None else [self.text_column, self.id_column]


class Start(NamedTuple):
    """Where a record begins.

    Attributes:
        offset: number of bytes before it; in Parquet, number of row groups before its own.
        line: number of its first line, from 1; in Parquet, number of rows before it in its group.
    """

    offset: int
    line: int


class Record(NamedTuple):
    """One text.

    Attributes:
        start: where it begins.
        id: its id; None if ids are consecutive numbers.
        text: the text.
    """

    start: Start
    id: Id | None
    text: str


def positions(texts: Texts, names: list[str]) -> list[int]:
    """Return the positions of the wanted columns among all columns.

    Raises:
        FormatError: if a column is missing or occurs twice.
    """
    for name in texts.columns:
        if names.count(name) != 1:
            count = "two columns" if name in names else "no column"
            raise FormatError(f"{texts.path} has {count} {name!r}; its columns: {shown(names)}")
    return [names.index(name) for name in texts.columns]


def shown(names: Iterable[str]) -> str:
    """Return a readable list of column names, without names that may be text, as in a file without a header."""
    names = list(names)
    quoted_names = [repr(name) for name in names if _PLAIN_NAME.fullmatch(name)]
    n_hidden = len(names) - len(quoted_names)
    return ", ".join(quoted_names + ([f"{n_hidden} with names that may be text"] if n_hidden else [])) or "none"


def text_in(value: Any, column: str, where: str) -> str:  # noqa: ANN401 - any value of a file
    """Return a value that must be a string.

    Raises:
        FormatError: if it is not.
    """
    if not isinstance(value, str):
        raise FormatError(f"{where}: the value of {column!r} is {_kind(value)}, not a string")
    return value


def id_in(value: Any, column: str, where: str) -> Id:  # noqa: ANN401 - any value of a file
    """Return a value that must be an id: a string, or an integer of 64 bits.

    Raises:
        FormatError: if it is not.
    """
    if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool) and abs(value) <= _LARGEST):
        return value
    raise FormatError(f"{where}: the id in {column!r} is {_kind(value)}, neither a string nor an integer of 64 bits")


def _kind(value: Any) -> str:  # noqa: ANN401 - any value of a file
    """Return the type of a value in words, without the value."""
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, bytes):
        return "bytes that are not UTF-8"
    kinds: dict[type, str] = {int: "an integer", float: "a number", list: "a list", dict: "an object"}
    return "null" if value is None else kinds.get(type(value), f"a {type(value).__name__}")
