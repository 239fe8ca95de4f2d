"""Rows of a source: local files, a web file, or a data set of the Hub."""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nadp.errors import FormatError
from nadp.utility.declaration import Family, Source
from nadp.utility.items import items
from nadp.utility.rows import Row, rows_of_columns, rows_of_files
from nadp.utility.tables import Columns, matches, require_columns
from tasks.sources.benchmarks.catalogue import BENCHMARKS
from tasks.sources.benchmarks.locating import Located

_DELIMITERS = {"csv": ",", "tsv": "\t", "spaces": " "}


def read(located: Located, source: Source) -> list[Row]:
    """Return the rows of a source of a benchmark.

    Raises:
        UnreachableError: if it does not answer.
        FormatError: if its rows do not fit the benchmark.
    """
    try:
        return _checked(located, source)
    except FormatError:
        if source.place == "url":
            from tasks.sources.downloads import forget  # noqa: PLC0415 - imports Prefect

            forget(source.location)  # such as the page of a proxy, which must not be reused
        raise


def _checked(located: Located, source: Source) -> list[Row]:
    """Return the rows of a source; refuse invalid ones."""
    rows = read_rows(located.benchmark.family, source, [file.local() for file in located.files])
    if not rows:
        raise FormatError(f"{source.location} holds no rows")
    items(located.benchmark, rows, located.tokenizer)
    return rows


def check_own(located: Located) -> None:
    """Refuse a user's own task whose rows differ from its declaration; a damaged benchmark fails later, on its own.

    Raises:
        FormatError: if the rows differ.
    """
    if is_own(located):
        read(located, located.benchmark.sources[0])


def is_own(located: Located) -> bool:
    """Return whether a benchmark is a user's own: it is in local files and not built in."""
    return bool(located.files) and located.name not in BENCHMARKS


def read_rows(family: Family, source: Source, files: Sequence[Path]) -> list[Row]:
    """Return the rows of a source.

    Args:
        family: family of the task.
        source: to read.
        files: its paths, if it is local.

    Raises:
        UnreachableError: if its host does not respond or does not have it, or the client is in offline mode.
        FormatError: if it differs from its declaration.
    """
    if source.place == "hub":
        parts = [rows_of_columns(family, source, _of_hub(source, split), part) for split, part in source.splits]
        return [row for rows in parts for row in rows]
    if source.place != "url":
        return rows_of_files(family, source, files)
    from tasks.sources.downloads import from_web  # noqa: PLC0415 - imports Prefect

    return rows_of_files(family, source, [from_web(source.location)])


def _of_hub(source: Source, split: str) -> Columns:
    """Return the selected columns and rows of a split."""
    from tasks.sources.hub import from_hub  # noqa: PLC0415 - imports Prefect

    options: dict[str, Any] = {"name": source.config, "revision": source.revision, "split": split}
    if source.format in _DELIMITERS:  # otherwise `null` is read as a missing value
        options |= {"sep": _DELIMITERS[source.format], "keep_default_na": False}
        options |= {} if source.quotes else {"quoting": csv.QUOTE_NONE}
    try:
        data_set = from_hub(source.location, **options)
    except ValueError as error:  # no such split or configuration; the message lists the existing ones
        raise error if isinstance(error, FormatError) else FormatError(f"{source.location}: {error}") from error
    require_columns(source, source.location, data_set.column_names)
    records = [record for record in data_set.select_columns(source.wanted) if matches(source, record)]
    return {name: [record[name] for record in records] for name in source.wanted}
