"""The declaration of a task: its family, its data sources, and its columns.

Built-in benchmarks and users' own tasks have the same form, a TOML file. Keys of a source are either at the top, for
the only source or for all sources, or in [[sources]]. Sources are tried in order.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from nadp.choices import TokenizerName
from nadp.tokens import ENGLISH, Tokenizer

Family = Literal[
    "word-pairs", "sentence-pairs", "labelled-texts", "odd-one-out", "labelled-rows", "row-pairs", "neighbours"
]
Place = Literal["file", "package", "hub", "url"]
Layout = Literal["table", "puzzles", "file-per-label", "label-and-text", "input-and-gold"]
Format = Literal["csv", "tsv", "spaces", "jsonl", "parquet"]
MIXED = "*"
"""The source of a pair if there are several sources and it is not known which."""

METRICS: Mapping[Family, tuple[str, ...]] = {
    "word-pairs": ("spearman", "pearson"),
    "sentence-pairs": ("geometric-mean", "spearman", "pearson", "spearman-weighted", "pearson-weighted"),
    "labelled-texts": ("accuracy", "macro-f1"),
    "odd-one-out": ("accuracy", "correct-share"),
    "labelled-rows": ("accuracy", "macro-f1"),
    "row-pairs": ("spearman", "pearson"),
    "neighbours": ("neighbours-kept",),
}
"""The possible main scores of a task; the first is the default."""

COLUMNS: Mapping[Family, tuple[str, ...]] = {
    "word-pairs": ("first", "second", "score"),
    "sentence-pairs": ("first", "second", "score", "group"),
    "labelled-texts": ("text", "label", "part"),
    "odd-one-out": ("odd", "others"),
    "labelled-rows": ("id", "label", "part"),
    "row-pairs": ("first", "second", "score"),
    "neighbours": ("id",),
}
"""The columns of each family, in the order of its rows."""

OF_TABLES: tuple[Family, ...] = ("labelled-rows", "row-pairs", "neighbours")
"""The families about rows of a table, by their ids, instead of words."""

FEWEST_TERMS, MOST_TERMS = 3, 5
"""Possible numbers of terms of a puzzle of odd-one-out."""

PART = "="
"""A column whose value comes from the split of the row: "train", "test", a group, or nothing."""


@dataclass(frozen=True)
class Source:
    """One source of a task's data, and how its rows are read.

    Attributes:
        place: "file": a file or folder; "package": a file of an installed package; "hub": a data set of the
            Hugging Face Hub; "url": a file on the web.
        location: the path, "package:path in it", the id, or the URL.
        columns: columns of a table: the column of each part of a row, in the order of COLUMNS, or PART.
        splits: what to read, in order: the name of a split of the Hub, or of a file in a folder ("" for the only
            one), and its meaning: a part ("train", "test", "" if there is no official split), a group, or a
            label.
        rows: expected number; None if not declared.
        layout: layout of rows in files; see nadp.utility.rows.
        format: format of a table; None to use the suffix of the file.
        header: names of the columns of a table without a header line.
        quotes: whether fields of a table may be quoted; if not, a quote is an ordinary character.
        encoding: encoding of the text.
        comment: prefix of lines to leave out; "" for none.
        where: columns and the values that select rows.
        config: config of a Hub data set.
        revision: revision of a Hub data set.
        keys: the declaration's key for each column, for messages.
    """

    place: Place
    location: str
    columns: tuple[str, ...] = ()
    splits: tuple[tuple[str, str], ...] = (("", ""),)
    rows: int | None = None
    layout: Layout = "table"
    format: Format | None = None
    header: tuple[str, ...] = ()
    quotes: bool = True
    encoding: str = "utf-8"
    comment: str = ""
    where: tuple[tuple[str, str], ...] = ()
    config: str | None = None
    revision: str | None = None
    keys: tuple[str, ...] = field(default=(), compare=False, repr=False)

    @property
    def wanted(self) -> list[str]:
        """The distinct columns that are read."""
        return list(dict.fromkeys([name for name in self.columns if name != PART] + [name for name, _ in self.where]))

    def files(self, path: Path) -> list[Path]:
        """Return the files of a source on this disk, given the path of its file or folder."""
        if self.layout == "input-and-gold":
            inputs = sorted(path.glob("*.input.*.txt"))
            return [
                file
                for input_file in inputs
                for file in (input_file, input_file.with_name(input_file.name.replace(".input.", ".gs.")))
            ]
        return [path / name if name else path for name, _ in self.splits]


@dataclass(frozen=True)
class Benchmark:
    """A declared task.

    Attributes:
        name: in commands and reports.
        family: the kind of task.
        metric: the main score.
        sources: sources of its data, in the order to try; empty for the neighbours of a sample of rows.
        language: language of its words or texts.
        tokenizer: tokenizer of its texts; None for the language's.
        labels: labels of classification: the meaning of 0, 1, ...; empty to use those in the data.
        sample: sample of neighbours: largest number of rows to test.
        count: count of neighbours: number for each row.
        licence: as stated by its authors.
        citation: the paper that published it.
    """

    name: str
    family: Family
    metric: str
    sources: tuple[Source, ...] = field(default=(), repr=False)
    language: str | None = None
    tokenizer: TokenizerName | None = None
    labels: tuple[str, ...] = ()
    sample: int = 1_000
    count: int = 10
    licence: str = "not stated"
    citation: str = ""

    def beside(self, folder: Path) -> "Benchmark":
        """Return the task with the paths of its files relative to a folder."""
        sources = [
            replace(s, location=str(folder / Path(s.location).expanduser())) if s.place == "file" else s
            for s in self.sources
        ]
        return replace(self, sources=tuple(sources))

    def splits_texts(
        self, language: str = ENGLISH, name: TokenizerName | None = None, model: str | None = None
    ) -> Tokenizer:
        """Return the task's tokenizer: its own, else the named one, else the model's or its language's.

        Args:
            language: used if the declaration names none.
            name: name of the tokenizer, used if the declaration names none.
            model: content of the tokenizer.json, if the embedding is a static model.
        """
        return Tokenizer.of(self.language or language, self.tokenizer or name, model)
