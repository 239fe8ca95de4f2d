"""The lines of a UTF-8 file, from any of them on, in constant memory; and plain text, a text on each line."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from nadp.errors import FormatError
from nadp.texts.files.records import Record, Start, Texts

BEGINNING = Start(0, 1)
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Line(NamedTuple):
    """A line with the newline that ends it, if one does: where it begins, and where the next one would."""

    start: Start
    next: Start
    text: str


def lines(path: Path, start: Start = BEGINNING) -> Iterator[Line]:
    r"""Yield the lines of a file, which end at \n and nowhere else; a byte order mark at the beginning is left out.

    Raises:
        FormatError: if the file is not UTF-8; the message tells the line and the byte.
    """
    with path.open("rb") as file:
        file.seek(start.offset)
        for raw in file:
            after = Start(start.offset + len(raw), start.line + 1)
            content = raw.removeprefix(_BYTE_ORDER_MARK) if start.offset == 0 else raw
            text, bad = _decoded(content)
            if text is None:
                at = after.offset - len(content) + bad
                raise FormatError(f"{path}, line {start.line}: not UTF-8 at byte {at} of the file: save it as UTF-8")
            if text:
                yield Line(start, after, text)
            start = after


def _decoded(raw: bytes) -> tuple[str | None, int]:
    """Return the text of some bytes; None and the first bad byte if they are none.

    The error of Python holds the bytes, and must not become the cause of ours.
    """
    try:
        return raw.decode(), 0
    except UnicodeDecodeError as error:
        return None, error.start


def plain(texts: Texts, start: Start | None = None) -> Iterator[Record]:
    """Yield the lines of a file as texts; an empty line is an empty text.

    Raises:
        FormatError: if the file is not UTF-8, or a column is asked for.
    """
    if texts.columns != ["text"]:
        raise FormatError(f"{texts.path} has a text on each line and no columns: leave text_column and id_column out")
    for line in lines(texts.path, start or BEGINNING):
        body = line.text.removesuffix("\n")
        yield Record(line.start, None, body if body is line.text else body.removesuffix("\r"))
