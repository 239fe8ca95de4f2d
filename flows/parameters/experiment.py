"""Parameters of an experiment, and its settings from parameters and preset."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

from flows.parameters.checks import check_runner
from flows.parameters.presets import PRESETS, Preset
from flows.parameters.types import BenchmarkName, Runner
from flows.plan import Plan, plan
from nadp.choices import Isolated, Search, TokenizerName
from nadp.cli.declared import Parameters
from nadp.cli.files import check_file
from nadp.cli.types import AtLeastOne, Delta, Epsilon, Language, ListLength, MechanismName, Recall, Share, Tau
from nadp.errors import InputError
from nadp.experiment.cost import cost
from nadp.files.model_places import tokenizer_of
from nadp.tokens import ENGLISH, base_language
from tasks.sources.places import check_embedding, local_file, may_be_model, place_of
from tasks.store.sharing import check_store

if TYPE_CHECKING:
    from nadp.experiment.curves import Curve
    from tasks.sources.benchmarks.locating import Located


class Experiment(Parameters):
    """Compare privacy mechanisms for word embeddings: the utility that remains, and the words that attackers identify.

    A parameter that you leave out has the preset's value.
    """

    preset: Preset = "demo"
    """Source of the other parameters: demo (5,000 words of the library's sample, under a minute), paper (the paper's
    experiment), or reference (the authors' code).
    """
    embedding: str | None = None
    """"sample" (10,000 words of GloVe, part of the library), the path of a file (docs/files.md lists the formats) or
    of a static model's folder, a URL, a name of the Hub (owner/name@revision), or the name of a published table such as
    glove.6B.100d.
    """
    member: str | None = None
    """Name of the file to read, if the embedding is a zip archive of several files."""
    sha256: str | None = None
    """Expected SHA-256 of the embedding file. Any other file is refused."""
    strict: bool | None = None
    """Refuse an embedding with repeated or unusable words (empty, not UTF-8, or with tabs). Otherwise they are left out
    and counted.
    """
    words: AtLeastOne | None = None
    """Number of most frequent words to keep. Words that the benchmarks need are added."""
    frequencies: str | None = None
    """A list of words, the most frequent first, if the embedding file is not in that order."""
    mechanisms: list[MechanismName] | None = None
    """Mechanisms to compare."""
    taus: list[Tau] | None = None
    """Least overlap (Jaccard index) of two words' neighbour lists for an edge of the graph, from 0 to 1. nadp has a
    curve for each value; other mechanisms take their sensitivity from the first.
    """
    isolated: list[Isolated] | None = None
    """Policies for isolated words: join them to their nearest word (nearest), give them the largest noise (global),
    leave them out (drop), or add no noise (exact, as in the paper). Each policy has separate curves.
    """
    epsilons: list[Epsilon] | None = None
    """Privacy budgets; a smaller epsilon means more noise."""
    min_sizes: list[AtLeastOne] | None = None
    """For the mechanism groups: smallest numbers of words in a group, one for each setting."""
    max_shares: list[Share] | None = None
    """For the mechanism groups-by-share: largest shares of one word in the prior of its group (Zipf's law), one for
    each setting.
    """
    topics: str | None = None
    """A list of words and topics (word, tab, topic on each line), to measure for which words the topic is disclosed.
    Default: 200 k-means clusters of the vectors.
    """
    delta: Delta | None = None
    """Probability of failure. Default: 1 / number of words."""
    repeats: AtLeastOne | None = None
    """Number of draws of the noise."""
    seed: int | None = None
    """Seed of all randomness. The noise is for research only: anyone who knows the seed can remove it."""
    search: Search | None = None
    """Neighbour search: exact; annoy or nndescent (approximate, tuned to `recall`); or auto (exact up to 200,000
    words).
    """
    recall: Recall | None = None
    """Share of the true neighbours that an approximate search must find."""
    n_neighbours: ListLength | None = None
    """Length of the compared neighbour lists, including the word itself."""
    adjacency: ListLength | None = None
    """Number of words of a list that count as adjacent, including the word itself."""
    benchmarks: list[BenchmarkName] | None = None
    """Benchmarks to evaluate. If a benchmark that you name is not available, the run fails."""
    benchmarks_dir: str | None = None
    """A folder of local copies of the benchmarks, tried before the network."""
    task: list[str] | None = None
    """TOML files that declare your own tasks, as paths on the machine where the flow runs; see docs/own-tasks.md. Other
    benchmarks are then evaluated only if you name them.
    """
    language: Language | None = None
    """Language of the words and texts, as a code such as fr. Default: English. For another language, the default
    benchmarks are the ones in that language.
    """
    tokenizer: TokenizerName | None = None
    """How texts are split: at white space (spaces), at Unicode's word boundaries (words), in the Penn Treebank style
    (treebank), or as the embedding's own model does (model). Default: model for a static model; otherwise treebank for
    English, and words for any other language.
    """
    show: list[str] | None = None
    """Words for which the report shows the nearest words, with and without noise."""
    out: str | None = None
    """Folder of the results. Default: runs/<preset>-<time>."""
    runner: Runner = "threads"
    """Where to compute the curves: on threads of this process, one per core (threads), or on the workers of a Dask
    cluster (dask), all curves at once. The results are bit-for-bit equal.
    """
    scheduler: str | None = None
    """Address of a running Dask scheduler, such as tcp://192.0.2.1:8786. By default, dask starts a cluster on this
    machine with one process per core.
    """
    plan: bool = False
    """Estimate the cost of the run, and do not run it."""

    def check(self) -> None:
        """Refuse missing files, an epsilon that a mechanism does not support, or a runner without its packages."""
        check(settled(self.model_dump()))


class Settings(BaseModel):
    """An experiment with a value for every parameter; see Experiment for their meaning."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    preset: Preset
    embedding: str
    member: str | None
    sha256: str | None
    strict: bool
    words: AtLeastOne
    frequencies: str | None
    mechanisms: list[MechanismName]
    taus: list[Tau]
    isolated: list[Isolated]
    epsilons: list[Epsilon]
    min_sizes: list[AtLeastOne]
    max_shares: list[Share]
    topics: str | None
    delta: Delta | None
    repeats: AtLeastOne
    seed: int
    search: Search
    recall: Recall
    n_neighbours: ListLength
    adjacency: ListLength
    benchmarks: list[BenchmarkName]
    benchmarks_dir: str | None
    task: list[str]
    language: Language
    tokenizer: TokenizerName | None
    show: list[str]
    out: str | None
    runner: Runner
    scheduler: str | None
    plan: bool
    named_benchmarks: bool
    """Whether the user named the benchmarks or own tasks, so that a missing one is a failure."""

    def values_of(self, curve: "Curve") -> list[float | None]:
        """Return the settings of a curve's parameter to run, such as epsilons; [None] for the curve without noise."""
        if curve.parameter is None:
            return [None]
        values_by_parameter: dict[str, Sequence[float]] = {"min_size": self.min_sizes, "max_share": self.max_shares}
        return [float(value) for value in values_by_parameter.get(curve.parameter, self.epsilons)]


_ANY_DELTA = 0.5  # stands in for 1/n, which is not yet known, when only epsilon is checked


def settled(parameters: dict[str, Any]) -> Settings:
    """Return the settings of an experiment: its preset, overridden by each parameter that is not None.

    The default benchmarks are the preset's. For a language other than English, they are that language's benchmarks and
    `neighbours`; with own tasks, there are none.
    """
    overrides = {name: value for name, value in parameters.items() if value is not None}
    settings = PRESETS[overrides["preset"]] | {
        "named_benchmarks": bool(overrides.get("benchmarks") or overrides.get("task"))
    }
    language = base_language(overrides.get("language", ENGLISH))
    if overrides.get("task"):
        settings |= {"benchmarks": []}
    elif language != ENGLISH:
        from tasks.sources.benchmarks.catalogue import BENCHMARKS  # noqa: PLC0415 - slow to import

        names = [benchmark.name for benchmark in BENCHMARKS.values() if benchmark.language == language]
        settings |= {"benchmarks": [*names, "neighbours"]}
    return Settings.model_validate(settings | overrides)


def located(settings: Settings, model: str | None) -> "list[Located]":
    """Return the sources of an experiment's benchmarks and own tasks.

    Args:
        settings: settings of the experiment.
        model: content of the tokenizer.json, if the embedding is a static model.

    Raises:
        InputError: if a declaration is wrong, or a file is missing.
    """
    from tasks.sources.benchmarks.locating import locate_all  # noqa: PLC0415 - slow to import

    return locate_all(
        settings.benchmarks, settings.task, settings.benchmarks_dir, settings.language, settings.tokenizer, model
    )


def _model(settings: Settings) -> str | None:
    """Return the tokenizer of a static model: "" if it is not yet fetched, None if the embedding is not a model."""
    if not may_be_model(settings.embedding):
        return None
    return "" if place_of(settings.embedding) == "hub" else tokenizer_of(local_file(settings.embedding))


def _noisy(settings: Settings) -> "list[Curve]":
    """Return the curves of an experiment, except the one without noise."""
    from nadp.experiment.curves import curves  # noqa: PLC0415 - slow to import

    return curves(settings.mechanisms, settings.taus, settings.isolated)[1:]


def forecast_of(settings: Settings) -> Plan:
    """Return the cost estimate of an experiment; the dimension is read from the embedding's name, or is 300."""
    dimension_match = re.search(r"(\d+)d\b", f"{settings.embedding} {settings.member}")
    noisy = _noisy(settings)
    max_settings = max(len(settings.values_of(curve)) for curve in noisy)
    families = len({task.benchmark.family for task in located(settings, _model(settings))})
    work = cost(
        words=settings.words,
        dimension=50 if settings.embedding == "sample" else int(dimension_match[1]) if dimension_match else 300,
        curves=len(noisy),
        epsilons=max_settings,
        repeats=settings.repeats,
        families=families,
    )
    benchmarks = len(settings.benchmarks) + len(settings.task)
    return plan(
        work,
        taus=len(set(settings.taus)),
        policies=len(set(settings.isolated)),
        curves=len(noisy),
        settings=max_settings,
        families=families,
        benchmarks=benchmarks,
    )


def check(settings: Settings) -> None:
    """Refuse invalid settings before anything is computed.

    Raises:
        InputError: for a missing file or folder, an invalid task, an epsilon that a mechanism does not support, or an
            unusable runner or shared store.
    """
    check_runner(settings.runner, settings.scheduler)
    check_store()
    check_embedding(settings.embedding)
    if settings.frequencies is not None and not Path(settings.frequencies).is_file():
        raise InputError(f"no frequency list {settings.frequencies!r}")
    check_file(settings.topics)
    for curve in _noisy(settings):
        for value in settings.values_of(curve):
            curve.made.check(value or 0.0, settings.delta or _ANY_DELTA)
    benchmarks = located(settings, _model(settings))
    if settings.task:
        from tasks.sources.benchmarks.reading import check_own  # noqa: PLC0415 - slow to import

        for benchmark in benchmarks:
            check_own(benchmark)
