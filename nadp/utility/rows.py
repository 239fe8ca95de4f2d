"""Rows of a family from the files of a source, by layout."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from nadp.errors import FormatError
from nadp.utility.declaration import PART, Family, Layout, Source
from nadp.utility.tables import Columns, read_columns, read_lines

Row = list[Any]


def rows_of_files(family: Family, source: Source, files: Sequence[Path]) -> list[Row]:
    """Return the rows of a source with local files.

    Args:
        family: family of the task.
        source: to read.
        files: files of the source, see Source.files.

    Raises:
        FormatError: if a file or a column is missing, or a line does not fit the layout.
    """
    for file in files:
        if not file.is_file():
            raise FormatError(f"no file {str(file)!r}")
    if source.layout == "table":
        return list(_table(family, source, files))
    return list(_LAYOUTS[source.layout](source, files))


def rows_of_columns(family: Family, source: Source, columns: Columns, part: str) -> Iterator[Row]:
    """Yield the rows of a table.

    Args:
        family: family of the task.
        source: to read.
        columns: the ones that the source wants.
        part: value for the table's split.
    """
    length = len(next(iter(columns.values())))
    selected_columns = [[part] * length if name == PART else columns[name] for name in source.columns]
    for values in zip(*selected_columns, strict=True):
        # other terms may be missing, but not the odd one
        yield [[values[0], *filter(None, values[1:])]] if family == "odd-one-out" else list(values)


def _table(family: Family, source: Source, files: Sequence[Path]) -> Iterator[Row]:
    """Yield the rows of one or several tables, one table for each split."""
    for (_, part), file in zip(source.splits, files, strict=True):
        yield from rows_of_columns(family, source, read_columns(source, file), part)


def _puzzles(source: Source, files: Sequence[Path]) -> Iterator[Row]:
    """Yield the terms of lines `category: odd,one,two,three,four`."""
    for line in read_lines(source, files[0]):
        _, colon, terms = line.partition(":")
        if colon:
            yield [[term.strip() for term in terms.split(",")]]
        elif line.strip():
            raise FormatError(f"{files[0]}: {line[:60]!r} is not a puzzle of the form 'category: odd,other,...'")


def _file_per_label(source: Source, files: Sequence[Path]) -> Iterator[Row]:
    """Yield the texts of each file with the file's label."""
    for file, (_, label) in zip(files, source.splits, strict=True):
        texts = [line.strip() for line in read_lines(source, file) if line.strip()]
        if not texts:
            raise FormatError(f"{file} holds no texts")
        yield from ([text, label, ""] for text in texts)


def _label_and_text(source: Source, files: Sequence[Path]) -> Iterator[Row]:
    """Yield the texts of lines `label text`; each file is a part."""
    for file, (_, part) in zip(files, source.splits, strict=True):
        for line in read_lines(source, file):
            label, _, text = line.partition(" ")
            yield [text.strip(), label, part]


def _input_and_gold(source: Source, files: Sequence[Path]) -> Iterator[Row]:
    """Yield the pairs of sentences that have a rating; each pair of files is a group of pairs."""
    if not files:
        raise FormatError(f"{source.location} holds no files *.input.*.txt")
    for pairs, gold in zip(files[::2], files[1::2], strict=True):
        sentences, ratings = (read_lines(source, file) for file in (pairs, gold))
        if len(sentences) != len(ratings):
            raise FormatError(f"{pairs} has {len(sentences)} pairs but {gold.name} has {len(ratings)} ratings")
        name = pairs.name.partition(".input.")[2].removesuffix(".txt")
        for number, (line, rating) in enumerate(zip(sentences, ratings, strict=True), start=1):
            first, tab, second = line.partition("\t")
            if rating.strip():
                if not tab:
                    raise FormatError(f"{pairs}, line {number}: not a pair of sentences: it has no tab")
                yield [first, second.split("\t")[0], rating, name]


_LAYOUTS: Mapping[Layout, Callable[[Source, Sequence[Path]], Iterator[Row]]] = {
    "puzzles": _puzzles,
    "file-per-label": _file_per_label,
    "label-and-text": _label_and_text,
    "input-and-gold": _input_and_gold,
}
