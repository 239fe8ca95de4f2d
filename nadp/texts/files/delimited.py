"""Comma- and tab-separated files with a header, as Python's csv module reads them."""

import csv
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, NoReturn

from nadp.errors import FormatError
from nadp.texts.files.lines import BEGINNING, LONGEST, lines, too_long
from nadp.texts.files.records import BLANK, Record, Start, Texts, positions

_QUOTE = '"'
_LONE_RETURN = "new-line character"  # how csv begins its message about one


def comma_separated(texts: Texts, start: Start | None, seen: Counter[str]) -> Iterator[Record]:
    """Yield the texts of a .csv file; blank lines are left out and counted.

    Raises:
        FormatError: if a row is invalid or not as long as the header, a column is missing, or unescaped quotes may have
            joined rows.
    """
    return _records(texts, start, seen, ",")


def tab_separated(texts: Texts, start: Start | None, seen: Counter[str]) -> Iterator[Record]:
    """Yield the texts of a .tsv file, quoted as a .csv file is.

    Raises:
        FormatError: as for a .csv file.
    """
    return _records(texts, start, seen, "\t")


class _Row(NamedTuple):
    """A row: its start, the start of the next row, its fields, and its raw lines."""

    begin: Start
    next: Start
    fields: list[str]
    lines: list[str]


def _records(texts: Texts, start: Start | None, seen: Counter[str], delimiter: str) -> Iterator[Record]:
    path = texts.path
    header = next((row for row in _rows(path, BEGINNING, delimiter) if "".join(row.fields).strip()), None)
    if header is None:
        raise FormatError(f"{path} is empty: its first line must name the columns")
    names = header.fields
    positions_of_columns, quotes = positions(texts, names), _Quotes(path, delimiter, len(names))
    for row in _rows(path, start or header.next, delimiter):
        fields = row.fields
        if not fields or (len(fields) < len(names) and not "".join(row.lines).strip(" \r\n")):
            seen[BLANK] += 1
            continue
        if len(fields) != len(names):
            raise FormatError(f"{path}, line {row.begin.line}: {len(fields)} fields, but the header has {len(names)}")
        quotes.look(row)
        yield Record(
            row.begin,
            fields[positions_of_columns[1]] if len(positions_of_columns) > 1 else None,
            fields[positions_of_columns[0]],
        )
    if start is None:
        quotes.refuse_joined()


@dataclass
class _Quotes:
    """Reads rows a second way, as lines that ignore quotes, and decides whether this may be the right way.

    In a file written without quoting, a quote at the start of a field joins all rows up to the next quote. Such files
    are recognisable: either each of the joined lines would be a row by itself, or a quote occurs inside an unquoted
    field.
    """

    path: Path
    delimiter: str
    columns: int
    joined: Start | None = None
    all_fit: bool = True
    bare: bool = False

    def look(self, row: _Row) -> None:
        """Check the quotes of a row."""
        if len(row.lines) > 1:
            self.joined = self.joined or row.begin
            self.all_fit &= all(line.count(self.delimiter) + 1 == self.columns for line in row.lines)
        elif _QUOTE in row.lines[0]:
            fields = row.lines[0].split(self.delimiter)
            self.bare |= not any(field.startswith(_QUOTE) for field in fields)

    def refuse_joined(self) -> None:
        """Refuse a file with multi-line rows that may be several rows.

        Raises:
            FormatError: if there are any; the message names the first line of the first one.
        """
        if self.joined and (self.bare or (self.all_fit and self.columns > 1)):
            raise FormatError(
                f"{self.path}, line {self.joined.line}: quotes join this line to the next ones, but without quotes "
                "each of these lines would be a row: double literal quotes and quote their fields, or give the texts "
                "as .jsonl or .parquet"
            )


def _rows(path: Path, start: Start, delimiter: str) -> Iterator[_Row]:
    """Yield each row; a quoted field may span several lines."""
    csv.field_size_limit(max(csv.field_size_limit(), LONGEST))  # the default is too small for a text
    position, raw_lines = start, list[str]()

    def fed() -> Iterator[str]:
        nonlocal position
        size = 0
        for line in lines(path, start):
            size = size + len(line.text) if raw_lines else len(line.text)
            if size > LONGEST:
                raise too_long(path, line.start)
            position = line.next
            raw_lines.append(line.text)
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
        yield _Row(begin, position, fields, raw_lines[:])
        raw_lines.clear()


def _refuse(path: Path, begin: Start, position: Start, reason: str) -> NoReturn:
    where = f"line {begin.line}" if position.line == begin.line + 1 else f"lines {begin.line} to {position.line - 1}"
    if reason.startswith(_LONE_RETURN):
        reason, advice = "carriage return", "quote it, or end lines with line feeds"
    else:
        advice = "quotes in a field must be doubled"
    raise FormatError(f"{path}, {where}: not a valid row ({reason}): {advice}")
