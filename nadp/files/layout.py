"""The layout of a text, from its first lines: how many numbers follow a word, and the content of its header."""

import re
from collections import Counter
from typing import NamedTuple

from nadp.errors import FormatError
from nadp.files.kinds import BEGINNING, kind_of_text
from nadp.files.words import refuse_dimension

_END = b" \t\r"  # of a line, left out
_SEPARATOR = re.compile(rb"[ \t]")
_MOST_DIGITS = 18


class Layout(NamedTuple):
    """Layout of the lines of a text.

    Attributes:
        dimension: numbers after a word.
        announced: number of words in the header; None if there is no header.
    """

    dimension: int
    announced: int | None


def layout_of(block: bytes, name: str) -> Layout:
    """Return the layout of a text.

    A first line of two integers is a header and determines the layout. Without a header, the most common number of
    fields determines the dimension. If every line has a tab, the first tab ends the word, which may then contain
    spaces.

    Args:
        block: the first lines, at least two if the text has two.
        name: name of the file.

    Raises:
        FormatError: if the text is not a table of words and numbers.
    """
    if kind := kind_of_text(block[:BEGINNING]):
        raise FormatError(f"{name} is {kind}, not a text of words and numbers")
    rows = [row for line in block.split(b"\n") if (row := line.rstrip(_END))]
    if not rows:
        raise FormatError(f"{name} holds only blank lines")
    header = _header(rows[0])
    dimension = _dimension(rows[1:] if header and len(rows) > 1 else rows, name)
    if header and len(rows) > 1 and dimension > 1:
        announced, dimension = header
    elif header and (header[1] == 1 or len(rows) == 1):
        raise FormatError(
            f"{name}: the first line, {rows[0]!r}, may be a header, or a word and its only number: give the table as "
            ".npz or .safetensors"
        )
    else:
        announced = None
    if dimension < 1:
        raise FormatError(f"{name} is not an embedding: its lines are not a word followed by numbers")
    refuse_dimension(dimension, name)
    return Layout(dimension, announced)


def _header(row: bytes) -> tuple[int, int] | None:
    """Return the two integers of a header line; None if the line is not a header."""
    fields = _SEPARATOR.split(row)
    if len(fields) != 2 or not all(field.isdigit() and len(field) <= _MOST_DIGITS for field in fields):
        return None
    return int(fields[0]), int(fields[1])


def _dimension(rows: list[bytes], name: str) -> int:
    """Return the most common number of fields after the word."""
    separators = _most_common(rows)
    if not all(b"\t" in row for row in rows):
        return separators
    after_tab = _most_common([row[row.index(b"\t") :] for row in rows])
    if after_tab == separators:
        return separators
    words = [row[: row.index(b"\t")] for row in rows]
    if 2 * sum(_ends_with_number(word) for word in words) > len(words):
        raise FormatError(
            f"{name}: most lines have numbers before their first tab: separate all fields by tabs, or all by spaces"
        )
    return after_tab


def _most_common(rows: list[bytes]) -> int:
    """Return the most common number of separators; in a tie, the first line decides."""
    return Counter(row.count(b" ") + row.count(b"\t") for row in rows).most_common(1)[0][0]


def _ends_with_number(word: bytes) -> bool:
    try:
        float(word.rpartition(b" ")[2])
    except ValueError:
        return False
    return b" " in word
