"""How rows lie in files: each layout turns the tables that it reads into rows of its family.

A reader returns the columns of one file (or of one split of a Hub data set) by name.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from nadp.errors import FormatError
from tasks.sources.benchmarks.declarations import Layout, Source

Columns = Mapping[str, Sequence[Any]]
Read = Callable[[str], Columns]
Row = list[Any]


def files_of(source: Source, path: Path) -> list[Path]:
    """Return the files that a source on this disk consists of, by the path of the file or folder."""
    if source.layout in ("file-per-label", "label-and-text"):
        return [path / name for name, _ in source.splits]
    if source.layout == "input-and-gold":
        inputs = sorted(path.glob("*.input.*.txt"))
        return [file for one in inputs for file in (one, _gold(one))]
    return [path]


def rows_of(source: Source, read: Read, files: Sequence[Path]) -> list[Row]:
    """Return the rows of a source.

    Args:
        source: what is read.
        read: takes the name of a split, or the path of a file.
        files: the source's files, where it is on this disk.

    Raises:
        FormatError: if a column is missing or a line is not of the layout.
    """
    return list(_LAYOUTS[source.layout](source, read, files))


def _table(source: Source, read: Read, files: Sequence[Path]) -> Iterator[Row]:
    """Yield the rows of a table, or of several splits of one."""
    for index, (split, part) in enumerate(source.splits):
        columns = read(str(files[index]) if files else split)
        wanted = [name for name in source.columns if name != "="]
        missing = [name for name in wanted if name not in columns]
        if missing:
            raise FormatError(
                f"{source.location} has no column {', '.join(map(repr, missing))}; it has {', '.join(columns)}"
            )
        for values in zip(*(columns[name] for name in wanted), strict=True):
            named = dict(zip(wanted, values, strict=True))
            yield [named.get(name, part) for name in source.columns]


def _puzzles(source: Source, read: Read, files: Sequence[Path]) -> Iterator[Row]:
    """Yield the terms of lines `category: odd,one,two,three,four`."""
    for line in read(str(files[0]))["text"]:
        _, colon, terms = line.partition(":")
        if colon:
            yield [[term.strip() for term in terms.split(",")]]
        elif line.strip():
            raise FormatError(f"{source.location}: {line[:60]!r} is no puzzle of the form 'category: odd,other,...'")


def _file_per_label(source: Source, read: Read, files: Sequence[Path]) -> Iterator[Row]:
    """Yield the texts of each file with the file's label."""
    for file, (_, label) in zip(files, source.splits, strict=True):
        yield from ([line.strip(), int(label), ""] for line in read(str(file))["text"] if line.strip())


def _label_and_text(source: Source, read: Read, files: Sequence[Path]) -> Iterator[Row]:
    """Yield the texts of lines `label text`; each file is a part."""
    for file, (_, part) in zip(files, source.splits, strict=True):
        for line in read(str(file))["text"]:
            label, _, text = line.partition(" ")
            yield [text.strip(), label, part]


def _input_and_gold(source: Source, read: Read, files: Sequence[Path]) -> Iterator[Row]:
    """Yield the pairs of sentences that have a rating; each pair of files is a source of pairs."""
    if not files:
        raise FormatError(f"{source.location} holds no files *.input.*.txt")
    for pairs, gold in zip(files[::2], files[1::2], strict=True):
        sentences, ratings = read(str(pairs))["text"], read(str(gold))["text"]
        if len(sentences) != len(ratings):
            raise FormatError(f"{pairs} has {len(sentences)} pairs but {gold.name} has {len(ratings)} ratings")
        name = pairs.name.partition(".input.")[2].removesuffix(".txt")
        for number, (line, rating) in enumerate(zip(sentences, ratings, strict=True), start=1):
            first, tab, rest = line.partition("\t")
            if rating.strip():
                if not tab:
                    raise FormatError(f"{pairs}, line {number}: {line[:60]!r} is no pair of sentences")
                yield [first, rest.split("\t")[0], rating, name]


def _gold(file: Path) -> Path:
    return file.with_name(file.name.replace(".input.", ".gs."))


_LAYOUTS: dict[Layout, Callable[[Source, Read, Sequence[Path]], Iterator[Row]]] = {
    "table": _table,
    "puzzles": _puzzles,
    "file-per-label": _file_per_label,
    "label-and-text": _label_and_text,
    "input-and-gold": _input_and_gold,
}
