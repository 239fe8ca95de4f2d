"""The formats of files of texts, by suffix."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal, get_args

from nadp.errors import InputError
from nadp.texts.files.delimited import comma_separated, tab_separated
from nadp.texts.files.json_lines import json_lines
from nadp.texts.files.lines import plain
from nadp.texts.files.parquet import parquet
from nadp.texts.files.records import Record, Start, Texts

Format = Literal[".txt", ".csv", ".tsv", ".jsonl", ".parquet"]
FORMATS: tuple[Format, ...] = get_args(Format)
_READERS: dict[Format, Callable[[Texts, Start | None], Iterator[Record]]] = {
    ".txt": plain,
    ".csv": comma_separated,
    ".tsv": tab_separated,
    ".jsonl": json_lines,
    ".parquet": parquet,
}


def format_of(path: Path) -> Format:
    """Return the format that the suffix of a file says.

    Raises:
        InputError: if it says none.
    """
    for known in FORMATS:
        if path.suffix.lower() == known:
            return known
    raise InputError(f"{str(path)!r}: the suffix says no format of texts; use one of {', '.join(FORMATS)}")


def records(texts: Texts, start: Start | None = None) -> Iterator[Record]:
    """Yield the texts of a file, from the first or from a given one on.

    Raises:
        InputError: if the suffix says no format, or there is no such file.
        FormatError: if the file is not of its format; the message tells the place, never the text.
    """
    reader = _READERS[format_of(texts.path)]
    if not texts.path.is_file():
        raise InputError(f"no file {str(texts.path)!r}")
    return reader(texts, start)
