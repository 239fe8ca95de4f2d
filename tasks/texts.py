"""Texts: a file of this disk or a data set of the Hub, as one file that is read by shards."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from prefect import task
from prefect.cache_policies import NO_CACHE

from nadp.errors import FormatError, InputError
from nadp.texts.files import FORMATS, Format, Shard, Split, Texts, format_of, split
from nadp.texts.files.records import id_in, positions, text_in
from tasks.sources.hub import from_hub
from tasks.sources.retries import NETWORK_RETRIES
from tasks.store.artefacts import Artefact, artefact, stored
from tasks.store.caching import CACHED

_ROWS_AT_A_TIME = 1024


@dataclass(frozen=True)
class TextSource:
    """Texts as one file.

    Attributes:
        file: where they are.
        format: of the file; the same bytes are other texts as .csv than as .txt.
        text_column: where the texts are in it.
        id_column: where their ids are; None for running numbers.
    """

    file: Artefact
    format: Format
    text_column: str
    id_column: str | None

    @property
    def texts(self) -> Texts:
        """The texts, to be read."""
        return Texts(Path(self.file.path), self.text_column, self.id_column)


@dataclass(frozen=True)
class FoundTexts:
    """Texts as they were when a run began.

    Attributes:
        source: the texts.
        modified: when their file was last written to, in nanoseconds; None for a copy, which nobody writes to.
    """

    source: TextSource
    modified: int | None

    def check(self) -> None:
        """Refuse a file that was written to since.

        Raises:
            FormatError: if it was.
        """
        file = self.source.file
        path = Path(file.path)
        now = (path.stat().st_size, path.stat().st_mtime_ns) if path.is_file() else (-1, -1)
        if self.modified is not None and now != (file.size, self.modified):
            raise FormatError(f"{path} was changed while its texts were encoded: run again with what it was")


@dataclass(frozen=True)
class HubPlace:
    """Where in a data set of the Hub texts are.

    Attributes:
        config: which of its configurations; None if it has one.
        split: which part.
        revision: which commit or branch; None for the newest.
    """

    config: str | None = None
    split: str = "train"
    revision: str | None = None


def is_on_hub(texts: str) -> bool:
    """Return whether texts are a data set of the Hub, by its id; else they are a file.

    Raises:
        InputError: if they are neither.
    """
    path = Path(texts).expanduser()
    if path.is_file() or path.suffix.lower() in FORMATS:
        format_of(path)
        return False
    if path.is_dir() or not re.fullmatch(r"[\w.-]+/[\w.-]+", texts):
        known = ", ".join(FORMATS)
        raise InputError(f"no texts {texts!r}: give a file ({known}), or the id of a data set of the Hub, owner/name")
    return True


@task(name="fetch-texts", task_run_name="fetch-texts {texts}", cache_policy=NO_CACHE, **NETWORK_RETRIES)
def fetch_texts(texts: str, text_column: str, id_column: str | None, place: HubPlace) -> FoundTexts:
    """Return texts as one file: one of this disk, or a copy of a data set of the Hub.

    The copy lies in NADP_HOME, as the data set itself lies in the Hub's cache: shards are read without the network.

    Raises:
        InputError: if there are no such texts, or not in this column.
    """
    if is_on_hub(texts):
        copy = stored(partial(_copy, texts, text_column, id_column, place), ".jsonl")
        return FoundTexts(TextSource(copy, ".jsonl", "text", None if id_column is None else "id"), None)
    path = Path(texts).expanduser().absolute()
    if not path.is_file():
        raise InputError(f"no file {str(path)!r}")
    modified = path.stat().st_mtime_ns  # before it is read: what is written to it later shows
    return FoundTexts(TextSource(artefact(path), format_of(path), text_column, id_column), modified)


def _copy(name: str, text_column: str, id_column: str | None, place: HubPlace, path: Path) -> None:
    """Write the texts of a data set to a file, a JSON object on each line."""
    wanted = Texts(Path(name), text_column, id_column)
    rows = _loaded(name, place)
    positions(wanted, rows.column_names)
    with path.open("w", encoding="utf-8", newline="") as file:
        for number, values in enumerate(_values(rows.select_columns(wanted.columns), wanted.columns), start=1):
            where = f"{name}, row {number}"
            record: dict[str, Any] = {"text": text_in(values[0], text_column, where)}
            if id_column is not None:
                record["id"] = id_in(values[1], id_column, where)
            file.write(json.dumps(record, ensure_ascii=False) + "\n")


def _values(rows: Any, columns: list[str]) -> Iterator[tuple[Any, ...]]:  # noqa: ANN401 - a Dataset
    for batch in rows.iter(_ROWS_AT_A_TIME):
        yield from zip(*(batch[name] for name in columns), strict=True)


def _loaded(name: str, place: HubPlace) -> Any:  # noqa: ANN401 - a Dataset
    """Return a data set. What its reader says of a bad row holds the row, and must not go on."""
    try:
        return from_hub(name, name=place.config, split=place.split, revision=place.revision)
    except FormatError:
        pass
    except ValueError as error:  # no such split or configuration; the message tells those that there are
        raise InputError(f"{name}: {error}") from error
    raise FormatError(f"{name} cannot be read by the library datasets: a file of it is damaged")


@task(name="split-texts", task_run_name="split-texts {source.format}", **CACHED)
def split_texts(source: TextSource, shard_texts: int) -> Split:
    """Return where each shard of a file begins, after every text was looked at.

    Raises:
        InputError: if a text cannot be read; the message tells where, not which.
    """
    return split(source.texts, shard_texts)


def whole(found: Split) -> Shard:
    """Return all texts of a split file as one shard."""
    return Shard(0, 0, found.texts, found.shards[0].offset, found.shards[0].line)
