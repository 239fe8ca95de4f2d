"""Comma- and tab-separated files with a header, as Python's csv module reads them."""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

from nadp.errors import FormatError
from nadp.texts.files.lines import BEGINNING, lines
from nadp.texts.files.records import Record, Start, Texts, positions

_LONGEST = 2**31 - 1  # characters of a field; the module's own limit, 131,072, is too small for a text


def comma_separated(texts: Texts, start: Start | None = None) -> Iterator[Record]:
    """Yield the texts of a .csv file.

    Raises:
        FormatError: if a row is not of the format or not as long as the header, or a column is missing.
    """
    return _records(texts, start, ",")


def tab_separated(texts: Texts, start: Start | None = None) -> Iterator[Record]:
    """Yield the texts of a .tsv file, quoted as a .csv file is.

    Raises:
        FormatError: as for a .csv file.
    """
    return _records(texts, start, "\t")


def _records(texts: Texts, start: Start | None, delimiter: str) -> Iterator[Record]:
    path = texts.path
    header = next(_rows(path, BEGINNING, delimiter), None)
    if header is None:
        raise FormatError(f"{path} is empty: its first line must name the columns")
    _, after, names = header
    at = positions(texts, names)
    for begin, _, fields in _rows(path, start or after, delimiter):
        if len(fields) != len(names):
            raise FormatError(f"{path}, line {begin.line}: {len(fields)} fields, but the header has {len(names)}")
        yield Record(begin, fields[at[1]] if len(at) > 1 else None, fields[at[0]])


def _rows(path: Path, start: Start, delimiter: str) -> Iterator[tuple[Start, Start, list[str]]]:
    """Yield each row with where it begins and where the next one does: a quoted field may span lines."""
    csv.field_size_limit(max(csv.field_size_limit(), _LONGEST))
    position = start

    def fed() -> Iterator[str]:
        nonlocal position
        for line in lines(path, start):
            position = line.next
            yield line.text

    reader = csv.reader(fed(), delimiter=delimiter, strict=True)  # else an open quote swallows the rest of the file
    while True:
        begin, reason = position, ""
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            reason = str(error)
        if reason:
            _refuse(path, begin, position, reason)
        yield begin, position, fields


def _refuse(path: Path, begin: Start, position: Start, reason: str) -> NoReturn:
    here = f"line {begin.line}" if position.line == begin.line + 1 else f"lines {begin.line} to {position.line - 1}"
    raise FormatError(f"{path}, {here}: no row of a file of this format ({reason}); quotes in a field are doubled")
