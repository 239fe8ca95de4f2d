"""What a declaration of a benchmark says."""

from dataclasses import dataclass, field
from typing import Any, Literal

from nadp.utility.items import Family

Place = Literal["folder", "package", "hub", "url"]


@dataclass(frozen=True)
class Source:
    """One place where a benchmark may be had, and how its rows are read there.

    Attributes:
        place: "folder": a file below benchmarks_dir; "package": a file that gensim installs; "hub": a data set of the
            Hugging Face Hub; "url": a file on the web.
        location: the path, the file's name, the id, or the URL.
        columns: the source's name of each column of the family (nadp.utility.items.COLUMNS), in that order.
        rows: how many rows there must be.
        reader: the builder of `datasets` that reads it; the Hub's files tell theirs themselves ("").
        options: of the builder; pairs, so that the value can be hashed.
        revision: of a Hub data set.
        split: of a Hub data set.
    """

    place: Place
    location: str
    columns: tuple[str, ...]
    rows: int
    reader: str = "csv"
    options: tuple[tuple[str, Any], ...] = ()
    revision: str | None = None
    split: str = "train"


@dataclass(frozen=True)
class Benchmark:
    """A benchmark, declared once.

    Attributes:
        name: as users ask for it.
        family: what kind of evaluation it belongs to.
        metric: its main score.
        sources: where it may be had, the first tried first.
        licence: as stated by its makers.
        citation: the paper that made it.
    """

    name: str
    family: Family
    metric: str
    sources: tuple[Source, ...] = field(repr=False)
    licence: str = "not stated"
    citation: str = ""
