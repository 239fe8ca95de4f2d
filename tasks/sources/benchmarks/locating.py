"""Where the data of benchmarks are: on the local disk, in an installed package, or on the network."""

import importlib.util
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from nadp.choices import TokenizerName
from nadp.errors import InputError, one_of
from nadp.tokens import TREEBANK, Tokenizer
from nadp.utility.declaration import Benchmark, Source
from nadp.utility.task_file import read_task
from tasks.sources.benchmarks.catalogue import BENCHMARKS
from tasks.store.artefacts import Artefact, artefact


@dataclass(frozen=True)
class Located:
    """A benchmark and its sources.

    Attributes:
        benchmark: as declared, with its sources in the order to try.
        tokenizer: tokenizer of its texts.
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


def builtin(name: str) -> Benchmark:
    """Return a built-in benchmark by name.

    Raises:
        InputError: if there is no such benchmark.
    """
    if name not in BENCHMARKS:
        raise InputError(f"benchmark {one_of(name, BENCHMARKS)}")
    return BENCHMARKS[name]


def locate(benchmark: Benchmark | str, benchmarks_dir: str | None = None, tokenizer: Tokenizer = TREEBANK) -> Located:
    """Return the sources of a benchmark: the local disk first, then an installed package, then the network.

    Args:
        benchmark: a declaration, or the name of a built-in benchmark.
        benchmarks_dir: base folder of relative paths.
        tokenizer: tokenizer of its texts.

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
            artefacts = tuple(artefact(file) for file in files)
            return Located(replace(benchmark, sources=(source,)), tokenizer, artefacts)
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
        names: names of built-in benchmarks.
        files: declarations of own tasks.
        benchmarks_dir: see locate.
        language: language of own tasks that do not name one.
        tokenizer: tokenizer of texts, except in own tasks that name one; None for that of the model or language.
        model: content of the tokenizer.json, if the embedding is a static model.

    Raises:
        InputError: if a declaration is wrong, or two have the same name.
    """
    own_tasks = [read_task(file) for file in files]
    tasks = [*map(builtin, dict.fromkeys(names)), *own_tasks]
    for name, count in Counter([task.name for task in own_tasks] + list(BENCHMARKS)).items():
        if count > 1:
            raise InputError(f"there are two tasks {name!r}: give one of them another name in its declaration")
    return [locate(task, benchmarks_dir, task.splits_texts(language, tokenizer, model)) for task in tasks]


def _local(source: Source, benchmarks_dir: str | None) -> list[Path]:
    """Return the local paths of a source; none if it is not local."""
    path = Path(source.location)
    if source.place == "file" and (path.is_absolute() or benchmarks_dir is not None):
        path = Path(benchmarks_dir or "/").absolute() / path
        return source.files(path) or [path / "*.input.*.txt"]
    if source.place == "package":
        name, _, path_in_package = source.location.partition(":")
        package = importlib.util.find_spec(name)
        if package is not None and package.origin:
            return source.files(Path(package.origin).parent / path_in_package)
    return []
