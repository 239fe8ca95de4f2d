"""Rows of a source: local files, a web file, or a data set of the Hub."""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nadp.errors import FormatError
from nadp.utility.declaration import Family, Source
from nadp.utility.rows import Row, rows_of_columns, rows_of_files
from nadp.utility.tables import Columns, matches, require_columns
from tasks.sources.downloads import from_web
from tasks.sources.hub import from_hub

_DELIMITERS = {"csv": ",", "tsv": "\t", "spaces": " "}


def read_rows(family: Family, source: Source, files: Sequence[Path]) -> list[Row]:
    """Return the rows of a source.

    Args:
        family: of the task.
        source: to read.
        files: its paths, if it is local.

    Raises:
        UnreachableError: if its host does not respond or lacks it, or the client is in offline mode.
        FormatError: if it differs from its declaration.
    """
    if source.place == "hub":
        parts = [rows_of_columns(family, source, _of_hub(source, split), part) for split, part in source.splits]
        return [row for rows in parts for row in rows]
    if source.place != "url":
        return rows_of_files(family, source, files)
    file = from_web(source.location)
    try:
        return rows_of_files(family, source, [file])
    except FormatError:
        file.unlink()  # such as the page of a proxy, which must not be reused
        raise


def _of_hub(source: Source, split: str) -> Columns:
    """Return the selected columns and rows of a split."""
    options: dict[str, Any] = {"name": source.config, "revision": source.revision, "split": split}
    if source.format in _DELIMITERS:  # otherwise `null` is read as a missing value
        options |= {"sep": _DELIMITERS[source.format], "keep_default_na": False}
        options |= {} if source.quotes else {"quoting": csv.QUOTE_NONE}
    try:
        found = from_hub(source.location, **options)
    except ValueError as error:  # no such split or configuration; the message lists the existing ones
        raise error if isinstance(error, FormatError) else FormatError(f"{source.location}: {error}") from error
    require_columns(source, source.location, found.column_names)
    records = [record for record in found.select_columns(source.wanted) if matches(source, record)]
    return {name: [record[name] for record in records] for name in source.wanted}
