"""Columns of a local table: .csv, .tsv, .jsonl, .parquet."""

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from nadp.errors import FormatError
from nadp.runtime.optional import optional
from nadp.texts.files.records import shown
from nadp.utility.declaration import Format, Source

Columns = Mapping[str, Sequence[Any]]
Record = Mapping[str, Any]
SUFFIXES: Mapping[str, Format] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}
_DELIMITERS: Mapping[Format, str] = {"csv": ",", "tsv": "\t", "spaces": " "}
_BOM = "\ufeff"
_LONGEST = 2**31 - 1  # characters per field; the csv module's default, 131,072, is too few for a text


def read_columns(source: Source, path: Path) -> Columns:
    """Return the columns and rows of a table that a source selects.

    Raises:
        FormatError: if the file is invalid, or a column is missing; messages never repeat texts.
    """
    records = _READERS[_format(source, path)](source, path)
    chosen = [record for record in records if matches(source, record)]
    return {name: [record[name] for record in chosen] for name in source.wanted}


def matches(source: Source, record: Record) -> bool:
    """Return whether a source selects a row."""
    return all(str(record[name]) == value for name, value in source.where)


def require_columns(source: Source, where: str, names: Sequence[str]) -> None:
    """Refuse a table without the columns of a source, or with two of the same name.

    Raises:
        FormatError: if a column is missing or occurs twice; the message lists the existing columns and states what to
            write.
    """
    for name in source.wanted:
        if names.count(name) > 1:
            raise FormatError(f"{where} has two columns {name!r}: rename one")
    missing = [name for name in source.wanted if name not in names]
    if not missing:
        return
    key = next((key for key, name in zip(source.keys, source.columns, strict=False) if name == missing[0]), None)
    close = [*get_close_matches(missing[0], names, 1), "..."][0]
    line = f': write {key} = "{close}"' if key not in (None, "others") else ""
    raise FormatError(f"{where} has no column {', '.join(map(repr, missing))}; it has {shown(names)}{line}")


def read_lines(source: Source, path: Path) -> list[str]:
    r"""Return the lines of a text file, which end at \n.

    Raises:
        FormatError: if it is not in the declared encoding.
    """
    return [line.removesuffix("\r") for line in _text(source, path).removesuffix("\n").split("\n")]


def is_utf_8(path: Path) -> bool:
    """Return whether a file is valid UTF-8 beyond ASCII, which overrides the declared encoding."""
    content = path.read_bytes()
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return not content.isascii()


def _text(source: Source, path: Path) -> str:
    """Return the text of a file. Valid UTF-8 beyond ASCII overrides the declared encoding."""
    raw = path.read_bytes()
    try:
        return raw.decode().removeprefix(_BOM)
    except UnicodeDecodeError as error:
        decode_error = error
    if source.encoding.lower() not in ("utf-8", "utf8"):
        try:
            return raw.decode(source.encoding)
        except (UnicodeDecodeError, LookupError) as error:
            raise FormatError(f"{path} cannot be read as {source.encoding}: write another encoding") from error
    line = raw[: decode_error.start].count(b"\n") + 1
    raise FormatError(f'{path}, line {line}: not UTF-8: save it as UTF-8, or write encoding = "cp1252"') from None


def _format(source: Source, path: Path) -> Format:
    chosen = source.format or SUFFIXES.get(path.suffix.lower())
    if chosen is None:
        raise FormatError(
            f'{path} has an unknown suffix: write format = "csv" (or tsv, spaces, jsonl, parquet), or '
            f"use one of {', '.join(SUFFIXES)}"
        )
    return chosen


def _delimited(source: Source, path: Path) -> Iterator[Record]:
    """Yield the rows of a table with a delimiter; missing fields at the end of a row are None."""
    rows = _rows(source, path)
    names = list(source.header) or next((fields for _, fields in rows), [])
    require_columns(source, str(path), names)
    for line, fields in rows:
        if len(fields) > len(names):
            raise FormatError(
                f"{path}, line {line}: {len(fields)} fields, but there are {len(names)} columns: "
                f"quote the fields that hold the delimiter, or write another format"
            )
        yield dict(zip(names, fields + [None] * (len(names) - len(fields)), strict=True))


def _rows(source: Source, path: Path) -> Iterator[tuple[int, list[Any]]]:
    """Yield each row with its line number, except blank lines and comments."""
    delimiter = _DELIMITERS[_format(source, path)]
    read_rows = _quoted_rows if source.quotes else _plain_rows
    for line, fields in read_rows(source, path, delimiter):
        if fields and not (source.comment and fields[0].startswith(source.comment)):
            yield line, fields


def _plain_rows(source: Source, path: Path, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    for number, line in enumerate(read_lines(source, path), start=1):
        yield number, line.split(delimiter) if line.strip() else []


def _quoted_rows(source: Source, path: Path, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield each row with its line number, and refuse a file in which quotes may have joined rows.

    In a file written without quoting, a quote at the start of a field joins all rows up to the next quote. So rows of
    several lines are refused if each of their lines would be a row by itself, as in nadp.texts.files.delimited.
    """
    csv.field_size_limit(max(csv.field_size_limit(), _LONGEST))
    raw_lines, joined, columns = list[str](), list[tuple[int, list[str]]](), len(source.header)

    def fed() -> Iterator[str]:
        for line in io.StringIO(_text(source, path), newline=""):
            raw_lines.append(line)
            yield line

    reader = csv.reader(fed(), delimiter=delimiter, strict=True)
    while True:
        begin = reader.line_num + 1
        try:
            fields = next(reader)
        except StopIteration:
            break
        except csv.Error as error:
            raise FormatError(f"{path}, line {begin}: invalid row ({error}): double quotes inside a field") from None
        if len(raw_lines) > 1:
            joined.append((begin, raw_lines[:]))
        raw_lines.clear()
        fields = fields if any(field.strip() for field in fields) else []
        columns = columns or len(fields)
        yield begin, fields
    if joined and columns > 1 and all(line.count(delimiter) + 1 == columns for _, lines in joined for line in lines):
        raise FormatError(
            f"{path}, line {joined[0][0]}: quotes join this line to the next ones, but without quotes each of these "
            "lines would be a row: write quotes = false, or double literal quotes and quote their fields"
        )


def _json_lines(source: Source, path: Path) -> Iterator[Record]:
    for number, line in enumerate(read_lines(source, path), start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            record = None
        if not isinstance(record, dict):
            raise FormatError(f"{path}, line {number}: not a JSON object")
        require_columns(source, f"{path}, line {number},", list(record))
        yield record


def _parquet(source: Source, path: Path) -> Iterator[Record]:
    with optional("texts", "reading Parquet"):
        import pyarrow as pa  # noqa: PLC0415 - optional, slow to import
        import pyarrow.parquet  # noqa: PLC0415 - optional, slow to import
    try:
        with pa.parquet.ParquetFile(path) as file:
            require_columns(source, str(path), file.schema_arrow.names)
            table = file.read(columns=source.wanted)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise FormatError(f"{path} is not a Parquet file, or damaged: {error}") from error
    yield from table.to_pylist()


_READERS: Mapping[Format, Callable[[Source, Path], Iterator[Record]]] = {
    "csv": _delimited,
    "tsv": _delimited,
    "spaces": _delimited,
    "jsonl": _json_lines,
    "parquet": _parquet,
}
