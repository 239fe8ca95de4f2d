"""The lines of a UTF-8 file, read from any line in constant memory, and plain files with one text per line."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from nadp.errors import FormatError
from nadp.texts.files.records import Record, Start, Texts

BEGINNING = Start(0, 1)
LONGEST = 1 << 24
"""Largest size of a record in bytes."""
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class TextLine(NamedTuple):
    """A line with its newline, if any, its start, and the start of the next line."""

    start: Start
    next: Start
    text: str


def lines(path: Path, start: Start = BEGINNING) -> Iterator[TextLine]:
    r"""Yield the lines of a file, which end at \n only; a byte order mark at the beginning is left out.

    Raises:
        FormatError: if the file is not UTF-8, or a line is longer than LONGEST; the message names the line.
    """
    with path.open("rb") as file:
        file.seek(start.offset)
        while raw := file.readline(LONGEST + 1):
            next_start = Start(start.offset + len(raw), start.line + 1)
            if len(raw) > LONGEST:
                raise too_long(path, start)
            content = raw.removeprefix(_BYTE_ORDER_MARK) if start.offset == 0 else raw
            text, bad_byte = _decoded(content)
            if text is None:
                offset = next_start.offset - len(content) + bad_byte
                raise FormatError(
                    f"{path}, line {start.line}: not UTF-8 at byte {offset} of the file: save it as UTF-8"
                )
            if text:
                yield TextLine(start, next_start, text)
            start = next_start


def too_long(path: Path, start: Start) -> FormatError:
    """Return the error about a record that is too long."""
    return FormatError(f"{path}, line {start.line}: a record has over {LONGEST >> 20} MB: split it")


def _decoded(raw: bytes) -> tuple[str | None, int]:
    """Return the text of some bytes and 0; None and the position of the first bad byte if they are not UTF-8.

    Python's error holds the bytes, which are private, so our error must not have it as its cause.
    """
    try:
        return raw.decode(), 0
    except UnicodeDecodeError as error:
        return None, error.start


def plain(texts: Texts, start: Start | None, seen: Counter[str]) -> Iterator[Record]:
    """Yield the lines of a file as texts; an empty line is an empty text.

    Raises:
        FormatError: if the file is not UTF-8, a line holds a carriage return, which may also end a line, or a column is
            requested.
    """
    del seen  # nothing is left out
    if texts.columns != ["text"]:
        raise FormatError(f"{texts.path} has one text per line and no columns: leave text_column and id_column out")
    for line in lines(texts.path, start or BEGINNING):
        body = line.text.removesuffix("\n").removesuffix("\r")
        if "\r" in body:
            raise FormatError(
                f"{texts.path}, line {line.start.line}: a carriage return inside the line is ambiguous: save "
                "the file with newlines, or give it as .jsonl"
            )
        yield Record(line.start, None, body)
