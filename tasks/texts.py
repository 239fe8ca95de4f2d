"""Texts: a local file or a data set of the Hub, as one file that is read in shards. Texts are never cached."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from prefect import task

from nadp.errors import FormatError, InputError
from nadp.files.paths import absolute
from nadp.texts.files import Split, Texts, split
from nadp.texts.files.output import TextFile
from nadp.texts.files.publishing import PublishedFolder
from nadp.texts.files.records import id_in, positions, text_in
from tasks.sources.hub import from_hub
from tasks.sources.places import is_on_hub
from tasks.sources.retries import NETWORK_RETRIES
from tasks.store.private import UNKEPT

_ROWS_AT_A_TIME = 1024


@dataclass(frozen=True)
class HubPlace:
    """Texts in a data set of the Hub, and their local copy.

    Attributes:
        config: its configuration; None if it has only one.
        split: split of the data set.
        revision: commit or branch; None for the newest.
        copy: path of the local copy.
    """

    config: str | None = None
    split: str = "train"
    revision: str | None = None
    copy: Path | None = None


@contextmanager
def place_for_copy(texts: str, out: Path) -> Iterator[Path | None]:
    """Yield a temporary path for the copy of a data set of the Hub; None for a file.

    The copy is next to the output, visible to workers on other machines, and readable by its owner only.
    """
    if not is_on_hub(texts):
        yield None
        return
    with PublishedFolder(out).scratch(".jsonl") as path:
        yield path


@task(name="fetch-texts", task_run_name="fetch-texts {texts}", **UNKEPT, **NETWORK_RETRIES)
def fetch_texts(texts: str, text_column: str, id_column: str | None, place: HubPlace) -> TextFile:
    """Return texts as one file: a local one, or a copy of a data set of the Hub.

    Raises:
        InputError: if there are no such texts, or the column is missing.
    """
    if place.copy is not None:
        _copy(texts, text_column, id_column, place, place.copy)
        return TextFile.found(Texts(place.copy, "text", None if id_column is None else "id"))
    path = absolute(texts)
    if not path.is_file():
        raise InputError(f"no file {str(path)!r}")
    return TextFile.found(Texts(path, text_column, id_column))


def _copy(name: str, text_column: str, id_column: str | None, place: HubPlace, path: Path) -> None:
    """Write the texts of a data set to a file, a JSON object on each line."""
    texts = Texts(Path(name), text_column, id_column)
    rows = _loaded(name, place)
    positions(texts, rows.column_names)
    with path.open("w", encoding="utf-8", newline="") as file:
        for number, values in enumerate(_values(rows.select_columns(texts.columns), texts.columns), start=1):
            where = f"{name}, row {number}"
            record: dict[str, Any] = {"text": text_in(values[0], text_column, where)}
            if id_column is not None:
                record["id"] = id_in(values[1], id_column, where)
            file.write(json.dumps(record, ensure_ascii=False) + "\n")


def _values(rows: Any, columns: list[str]) -> Iterator[tuple[Any, ...]]:  # noqa: ANN401 - a Dataset
    for batch in rows.iter(_ROWS_AT_A_TIME):
        yield from zip(*(batch[name] for name in columns), strict=True)


def _loaded(name: str, place: HubPlace) -> Any:  # noqa: ANN401 - a Dataset
    """Return a data set. Its reader's errors contain the bad row, so they must not propagate."""
    try:
        return from_hub(name, name=place.config, split=place.split, revision=place.revision)
    except FormatError:
        pass
    except ValueError as error:  # no such split or configuration; the message lists the existing ones
        raise InputError(f"{name}: {error}") from error
    raise FormatError(f"{name} cannot be read by the library datasets: one of its files is damaged")


@task(name="split-texts", **UNKEPT)
def split_texts(file: TextFile, shard_texts: int) -> Split:
    """Return the start of each shard of a file, after a pass over all texts.

    Raises:
        InputError: if a text cannot be read; the message gives its position, never the text.
    """
    return split(file.texts, shard_texts)
