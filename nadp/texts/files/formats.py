"""The formats of files of texts, by suffix."""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal, get_args

from nadp.errors import FormatError, InputError
from nadp.files.kinds import BEGINNING, kind_of_text
from nadp.texts.files.delimited import comma_separated, tab_separated
from nadp.texts.files.json_lines import json_lines
from nadp.texts.files.lines import plain
from nadp.texts.files.parquet import parquet
from nadp.texts.files.records import Record, Start, Texts

Format = Literal[".txt", ".csv", ".tsv", ".jsonl", ".parquet"]
FORMATS: tuple[Format, ...] = get_args(Format)
_COMPRESSED = (".gz", ".bz2", ".xz", ".zst", ".zip", ".7z", ".tar", ".tgz")
_READERS: dict[Format, Callable[[Texts, Start | None, Counter[str]], Iterator[Record]]] = {
    ".txt": plain,
    ".csv": comma_separated,
    ".tsv": tab_separated,
    ".jsonl": json_lines,
    ".parquet": parquet,
}


def format_of(path: Path) -> Format:
    """Return the format that a file's suffix names.

    Raises:
        InputError: if the suffix is unknown.
    """
    suffix = path.suffix.lower()
    for known in FORMATS:
        if suffix == known:
            return known
    if suffix in _COMPRESSED:
        raise InputError(f"{str(path)!r} is compressed: unpack it first, since shards may start at any position")
    raise InputError(f"{str(path)!r}: the suffix is not a format of texts; use one of {', '.join(FORMATS)}")


def records(texts: Texts, start: Start | None = None, seen: Counter[str] | None = None) -> Iterator[Record]:
    """Yield the texts of a file, from the beginning or a given start.

    Args:
        texts: the file.
        start: where to begin.
        seen: counter of omitted lines.

    Raises:
        InputError: if the suffix is unknown, or there is no such file.
        FormatError: if the file is invalid; the message names the place, never the text.
    """
    format_ = format_of(texts.path)
    if not texts.path.is_file():
        raise InputError(f"no file {str(texts.path)!r}")
    if format_ != ".parquet":
        with texts.path.open("rb") as file:
            kind = kind_of_text(file.read(BEGINNING))
        if kind:
            raise FormatError(f"{texts.path} is {kind}, not a {format_} of UTF-8 text: convert or unpack it first")
    return _READERS[format_](texts, start, Counter() if seen is None else seen)
