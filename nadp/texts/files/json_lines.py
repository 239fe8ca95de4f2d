"""Files with a JSON object on each line."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from nadp.errors import FormatError
from nadp.texts.files.lines import BEGINNING, lines
from nadp.texts.files.records import BLANK, Id, Record, Start, Texts, id_in, shown, text_in

_SPACE = " \t\r\n"  # JSON's whitespace


def json_lines(texts: Texts, start: Start | None, seen: Counter[str]) -> Iterator[Record]:
    """Yield the texts of a .jsonl file; blank lines are left out and counted.

    Raises:
        FormatError: if a line is not an object, lacks a column, repeats a key, or has an invalid text or id.
    """
    for line in lines(texts.path, start or BEGINNING):
        if not line.text.strip(_SPACE):
            seen[BLANK] += 1
            continue
        where = f"{texts.path}, line {line.start.line}"
        record = _object(line.text)
        if not isinstance(record, dict):
            raise FormatError(f"{where}: not a JSON object")
        if isinstance(record, _Ambiguous):
            raise FormatError(f"{where}: a key occurs twice, so its value is ambiguous")
        for column in texts.columns:
            if column not in record:
                raise FormatError(f"{where}: no {column!r}; there is {shown(record)}")
        yield Record(line.start, _id(texts, record, where), _text(texts, record, where))


class _Ambiguous(dict[str, Any]):
    """An object in which a key occurs twice."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    return record if len(record) == len(pairs) else _Ambiguous(record)


def _object(line: str) -> Any:  # noqa: ANN401 - any JSON
    """Return the value of a line; None if it is not JSON.

    Python's error holds the line, which is private, so it must not propagate.
    """
    try:
        return json.loads(line, object_pairs_hook=_unique)
    except (ValueError, RecursionError):
        return None


def _text(texts: Texts, record: dict[str, Any], where: str) -> str:
    text = text_in(record[texts.text_column], texts.text_column, where)
    return _without_surrogates(text, texts.text_column, where)


def _id(texts: Texts, record: dict[str, Any], where: str) -> Id | None:
    if texts.id_column is None:
        return None
    value = id_in(record[texts.id_column], texts.id_column, where)
    return _without_surrogates(value, texts.id_column, where) if isinstance(value, str) else value


def _without_surrogates(text: str, column: str, where: str) -> str:
    r"""Return a text, and refuse half characters: JSON can write \ud800, which a UTF-8 file cannot hold."""
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        raise FormatError(f"{where}: {column!r} holds a lone surrogate, which is not a character")
    return text
