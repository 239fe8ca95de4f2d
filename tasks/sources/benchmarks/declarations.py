"""What a declaration of a benchmark says."""

from dataclasses import dataclass, field
from typing import Any, Literal

from nadp.utility.items import Family

Place = Literal["folder", "package", "hub", "url"]
Layout = Literal["table", "puzzles", "file-per-label", "label-and-text", "input-and-gold"]


@dataclass(frozen=True)
class Source:
    """One place where a benchmark may be had, and how its rows are read there.

    Attributes:
        place: "folder": a file or folder below benchmarks_dir; "package": a file that gensim installs; "hub": a data
            set of the Hugging Face Hub; "url": a file on the web.
        location: the path, the file's name, the id, or the URL.
        rows: how many rows there must be.
        columns: of a table: its name of each column of the family (nadp.utility.items), in that order; "=" stands for
            the part that a row's split is.
        layout: see tasks.sources.benchmarks.layouts.
        reader: the builder of `datasets` that reads a file.
        options: of the builder; pairs, so that the value can be hashed.
        splits: what to read, one after the other: the name of a split of the Hub or of a file, and what it stands for:
            the part ("train", "test", or "" where there is no official split) or the label.
        revision: of a Hub data set.
    """

    place: Place
    location: str
    rows: int
    columns: tuple[str, ...] = ()
    layout: Layout = "table"
    reader: str = "csv"
    options: tuple[tuple[str, Any], ...] = ()
    splits: tuple[tuple[str, str], ...] = (("train", ""),)
    revision: str | None = None


@dataclass(frozen=True)
class Benchmark:
    """A benchmark, declared once.

    Attributes:
        name: as users ask for it.
        family: what kind of evaluation it belongs to.
        metric: its main score.
        sources: where it may be had, the first tried first.
        labels: of classification: what 0, 1, ... stand for.
        licence: as stated by its makers.
        citation: the paper that made it.
    """

    name: str
    family: Family
    metric: str
    sources: tuple[Source, ...] = field(repr=False)
    licence: str = "not stated"
    citation: str = ""
    labels: tuple[str, ...] = ()
