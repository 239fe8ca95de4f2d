"""Fetching a benchmark from the local disk, an installed package, the Hub or the web into one verified file."""

import hashlib
import importlib.util
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from prefect import task

from nadp.embeddings import Embeddings
from nadp.errors import FormatError, InputError, one_of
from nadp.known_words import KnownWords
from nadp.tokens import TREEBANK, Tokenizer, TokenizerName
from nadp.utility.declaration import Benchmark, Family, Source
from nadp.utility.families import EVALUATIONS
from nadp.utility.items import Items, items
from nadp.utility.rows import Row
from nadp.utility.sentence_similarity import MIXED
from nadp.utility.tables import is_utf_8
from nadp.utility.task_file import read_task
from tasks.sources.benchmarks.catalogue import BENCHMARKS
from tasks.sources.benchmarks.reading import read_rows
from tasks.sources.retries import NETWORK_RETRIES, UnreachableError
from tasks.store.artefacts import Artefact, artefact, stored
from tasks.store.caching import CACHED


@dataclass(frozen=True)
class Located:
    """A benchmark and its sources.

    Attributes:
        benchmark: as declared, with its sources in the order to try.
        tokenizer: of its texts.
        files: local files, if the source is local.
        absent: missing paths and packages that were tried.
    """

    benchmark: Benchmark
    tokenizer: Tokenizer = TREEBANK
    files: tuple[Artefact, ...] = ()
    absent: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of the benchmark."""
        return self.benchmark.name


@dataclass(frozen=True)
class Fetched:
    """A benchmark with verified rows.

    A user's own files are read in place, without a copy, since they may be private. Other benchmarks are kept as one
    file.

    Attributes:
        benchmark: as declared, with one source for own files, else with none.
        tokenizer: of its texts.
        files: own files, or one of JSON: a list of rows.
        origin: where it came from.
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


def builtin(name: str) -> Benchmark:
    """Return a built-in benchmark by name.

    Raises:
        InputError: if there is none.
    """
    if name not in BENCHMARKS:
        raise InputError(f"benchmark {one_of(name, BENCHMARKS)}")
    return BENCHMARKS[name]


def locate(benchmark: Benchmark | str, benchmarks_dir: str | None = None, tokenizer: Tokenizer = TREEBANK) -> Located:
    """Return the sources of a benchmark: the local disk first, then an installed package, then the network.

    Args:
        benchmark: as declared, or the name of a built-in one.
        benchmarks_dir: base folder of relative paths.
        tokenizer: of its texts.

    Raises:
        InputError: if there is no such benchmark or folder, or its only source is a missing file.
    """
    benchmark = builtin(benchmark) if isinstance(benchmark, str) else benchmark
    if benchmarks_dir is not None and not Path(benchmarks_dir).is_dir():
        raise InputError(f"benchmarks_dir {benchmarks_dir!r} is not a folder")
    absent: list[str] = []
    for source in benchmark.sources:
        files = _local(source, benchmarks_dir)
        missing = [f"no file {file}" for file in files if not file.is_file()]
        if files and not missing:
            found = tuple(artefact(file) for file in files)
            return Located(replace(benchmark, sources=(source,)), tokenizer, found)
        if source.place == "package" and not files:
            missing = [f"{source.location.partition(':')[0]} is not installed"]
        absent += missing[:1]
    remote = tuple(source for source in benchmark.sources if source.place in ("hub", "url"))
    if benchmark.sources and not remote and benchmark.name not in BENCHMARKS:
        raise InputError(f"{benchmark.name}: {'; '.join(absent)}: paths are relative to the folder of the declaration")
    return Located(replace(benchmark, sources=remote), tokenizer, absent=tuple(absent))


def locate_all(
    names: Sequence[str],
    files: Sequence[str],
    benchmarks_dir: str | None,
    language: str,
    tokenizer: TokenizerName | None,
    model: str | None = None,
) -> list[Located]:
    """Return the sources of built-in benchmarks and user-defined tasks.

    Args:
        names: of built-in benchmarks.
        files: declarations of own tasks.
        benchmarks_dir: see locate.
        language: of own tasks that name none.
        tokenizer: of all texts except those of own tasks that name one; None for a model's or that of their language.
        model: content of the tokenizer.json, if the embedding is a static model.

    Raises:
        InputError: if a declaration is wrong, or two have one name.
    """
    own = [read_task(file) for file in files]
    every = [*map(builtin, dict.fromkeys(names)), *own]
    for name, count in Counter([one.name for one in own] + list(BENCHMARKS)).items():
        if count > 1:
            raise InputError(f"there are two tasks {name!r}: give one of them another name in its declaration")
    return [locate(one, benchmarks_dir, one.splits_texts(language, tokenizer, model)) for one in every]


def _local(source: Source, benchmarks_dir: str | None) -> list[Path]:
    """Return the local paths of a source; none if it is not local."""
    path = Path(source.location)
    if source.place == "file" and (path.is_absolute() or benchmarks_dir is not None):
        path = Path(benchmarks_dir or "/").absolute() / path
        return source.files(path) or [path / "*.input.*.txt"]
    if source.place == "package":
        name, _, inside = source.location.partition(":")
        package = importlib.util.find_spec(name)
        if package is not None and package.origin:
            return source.files(Path(package.origin).parent / inside)
    return []


@task(name="fetch-benchmark", task_run_name="fetch-benchmark {located.name}", **CACHED, **NETWORK_RETRIES)
def fetch_benchmark(located: Located) -> Fetched:
    """Return a benchmark as one verified file, from the first source that provides it.

    Raises:
        UnreachableError: if no source answers.
        FormatError: if the content is not the benchmark.
    """
    if located.benchmark.family == "neighbours" and not located.benchmark.sources:
        return _kept(located, "the table itself", [])
    failures: list[Exception] = []
    for source in located.benchmark.sources:
        try:
            return _kept(located, f"{source.place} {source.location}", read(located, source), source)
        except (UnreachableError, FormatError) as error:
            failures.append(error)
    reasons = "; ".join([*located.absent, *map(str, failures)])
    wrong = [error for error in failures if isinstance(error, FormatError)]
    if wrong:
        raise FormatError(reasons) from wrong[0]
    raise UnreachableError(f"{located.name} is not available: {reasons or 'give benchmarks_dir'}")


def read(located: Located, source: Source) -> list[Row]:
    """Return the rows of a source of a benchmark.

    Raises:
        UnreachableError: if it does not answer.
        FormatError: if its rows do not fit the benchmark.
    """
    rows = read_rows(located.benchmark.family, source, [file.local() for file in located.files])
    if not rows:
        raise FormatError(f"{source.location} holds no rows")
    items(located.benchmark, rows, located.tokenizer)  # refuses invalid rows
    return rows


def check_own(located: Located) -> None:
    """Refuse a user's own task whose rows differ from its declaration; a benchmark that is damaged fails by itself.

    Raises:
        FormatError: if they differ.
    """
    if _is_own(located):
        read(located, located.benchmark.sources[0])


def _is_own(located: Located) -> bool:
    return bool(located.files) and located.name not in BENCHMARKS


def _kept(located: Located, origin: str, rows: list[Row], source: Source | None = None) -> Fetched:
    """Return verified rows, kept as a file unless they are a user's own."""
    own = _is_own(located)
    read_again = (replace(source, location=Path(source.location).name),) if own and source else ()
    benchmark, warnings = replace(located.benchmark, sources=read_again), list[str]()
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
    files = located.files if own else (stored(json.dumps(rows, ensure_ascii=False), ".json"),)
    return Fetched(benchmark, located.tokenizer, files, origin, len(rows), "; ".join(warnings))


@lru_cache(maxsize=16)
def items_of(fetched: Fetched) -> Items:
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


def check_known(benchmarks: Sequence[Fetched], embeddings: Embeddings) -> None:
    """Refuse benchmarks with too few known words, by preparing their evaluations.

    Raises:
        InputError: if a benchmark cannot be scored.
    """
    for one in benchmarks:
        EVALUATIONS[one.family]([items_of(one)], KnownWords(embeddings))


def needed_words(benchmarks: Sequence[Fetched]) -> dict[str, set[str]]:
    """Return the words that each benchmark needs, in all forms of look-up."""
    return {one.name: items_of(one).words() for one in benchmarks}
