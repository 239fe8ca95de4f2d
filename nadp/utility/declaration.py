"""The declaration of a task: its family, where its data are, and which columns hold what.

The built-in benchmarks and people's own tasks are declared in the same form, a TOML file. Keys of a source may stand at
the top, for the only source or for all of them, or in [[sources]], which are tried one after the other.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from nadp.tokens import ENGLISH, Tokenizer, TokenizerName

Family = Literal[
    "word-pairs", "sentence-pairs", "labelled-texts", "odd-one-out", "labelled-rows", "row-pairs", "neighbours"
]
Place = Literal["file", "package", "hub", "url"]
Layout = Literal["table", "puzzles", "file-per-label", "label-and-text", "input-and-gold"]
Format = Literal["csv", "tsv", "spaces", "jsonl", "parquet"]

METRICS: Mapping[Family, tuple[str, ...]] = {
    "word-pairs": ("spearman", "pearson"),
    "sentence-pairs": ("geometric-mean", "spearman", "pearson", "spearman-weighted", "pearson-weighted"),
    "labelled-texts": ("accuracy", "macro-f1"),
    "odd-one-out": ("accuracy", "correct-share"),
    "labelled-rows": ("accuracy", "macro-f1"),
    "row-pairs": ("spearman", "pearson"),
    "neighbours": ("neighbours-kept",),
}
"""What a task may have as its main score; the first one is the default."""

COLUMNS: Mapping[Family, tuple[str, ...]] = {
    "word-pairs": ("first", "second", "score"),
    "sentence-pairs": ("first", "second", "score", "group"),
    "labelled-texts": ("text", "label", "part"),
    "odd-one-out": ("odd", "others"),
    "labelled-rows": ("id", "label", "part"),
    "row-pairs": ("first", "second", "score"),
    "neighbours": ("id",),
}
"""What the columns of a table mean, in the order in which a row of the family holds them."""

OF_TABLES: tuple[Family, ...] = ("labelled-rows", "row-pairs", "neighbours")
"""The families that ask about rows of a table by their ids, and not about words."""

PART = "="
"""Stands among the columns for what the split that a row is from says: "train", "test", a group, or nothing."""


@dataclass(frozen=True)
class Source:
    """One place where the data of a task are, and how its rows are read there.

    Attributes:
        place: "file": a file or folder; "package": a file that an installed package brings; "hub": a data set of the
            Hugging Face Hub; "url": a file on the web.
        location: the path, "package:path in it", the id, or the URL.
        columns: of a table: the column of each part of a row, in the order of COLUMNS, or PART.
        splits: what to read, one after the other: the name of a split of the Hub, or of a file in a folder ("" for the
            only one), and what it stands for: a part ("train", "test", "" where there is no official split), a group,
            or a label.
        rows: how many there must be; None if it is not declared.
        layout: how rows lie in files; see nadp.utility.rows.
        format: of a table; None for what the suffix of the file says.
        header: names of the columns of a table without a header line.
        quotes: whether fields of a table may be quoted; if not, a quote is a character like any other.
        encoding: of the text.
        comment: what lines that are to be left out begin with; "" for none.
        where: columns and the values that they must have in the rows that are read.
        config: which configuration of a Hub data set.
        revision: of a Hub data set.
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

    @property
    def wanted(self) -> list[str]:
        """The columns that are read, each once."""
        return list(dict.fromkeys([name for name in self.columns if name != PART] + [name for name, _ in self.where]))

    def files(self, path: Path) -> list[Path]:
        """Return the files that a source on this disk consists of, by the path of the file or folder."""
        if self.layout == "input-and-gold":
            inputs = sorted(path.glob("*.input.*.txt"))
            return [file for one in inputs for file in (one, one.with_name(one.name.replace(".input.", ".gs.")))]
        return [path / name if name else path for name, _ in self.splits]


@dataclass(frozen=True)
class Benchmark:
    """A task, declared once.

    Attributes:
        name: as it is asked for, and shown.
        family: what kind of task it is.
        metric: its main score.
        sources: where its data may be, the first tried first; none for neighbours of any rows.
        language: of its words or texts.
        tokenizer: that its texts are split by; None for that of the language.
        labels: of classification: what 0, 1, ... stand for; empty for what the data have.
        sample: of neighbours: how many rows are looked at, at the most.
        count: of neighbours: how many of each row.
        licence: as stated by its makers.
        citation: the paper that made it.
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
        """Return the same with the paths of its files taken from a folder."""
        found = [
            replace(s, location=str(folder / Path(s.location).expanduser())) if s.place == "file" else s
            for s in self.sources
        ]
        return replace(self, sources=tuple(found))

    def splits_texts(self, language: str = ENGLISH, name: TokenizerName | None = None) -> Tokenizer:
        """Return what its texts are split by: its own tokenizer, else the named one, else that of its language.

        Args:
            language: where the declaration names none.
            name: of the tokenizer, where the declaration names none.
        """
        return Tokenizer.of(self.language or language, self.tokenizer or name)
