"""What an experiment takes, and how parameters and preset become settings."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

from flows.parameters.checks import check_runner
from flows.parameters.presets import PRESETS, Preset
from flows.parameters.types import BenchmarkName, Runner
from flows.plan import Plan, plan
from nadp.cli.declared import Parameters
from nadp.cli.types import AtLeastOne, Delta, Epsilon, Language, ListLength, MechanismName, Recall, Tau
from nadp.components import Isolated
from nadp.errors import InputError
from nadp.experiment.cost import cost
from nadp.experiment.curves import curves
from nadp.mechanisms import additive
from nadp.search import Search
from nadp.tokens import ENGLISH, TokenizerName, base_language
from tasks.sources.places import check_embedding
from tasks.store.sharing import check_store

if TYPE_CHECKING:
    from tasks.sources.benchmarks.fetching import Located


class Experiment(Parameters):
    """Compare ways to make word embeddings private: what is left of their use, and how many words they give away.

    A parameter that is left empty takes its value from the preset.
    """

    preset: Preset = "demo"
    """Where the other parameters come from. demo: the embedded sample, five amounts of noise, about a minute."""
    embedding: str | None = None
    """"sample" (10,000 words of GloVe, comes with the library), the path of a GloVe text file (plain, .gz or .zip), or
    the name of a published table to download, such as glove.6B.100d.
    """
    member: str | None = None
    """Which file of a zip archive that holds several."""
    sha256: str | None = None
    """What the embedding file must hold; refused if it does not."""
    strict: bool | None = None
    """Refuse an embedding with repeated or unusable words (empty, not UTF-8, with tabs in them); else they are left out
    and counted.
    """
    words: AtLeastOne | None = None
    """How many of the most frequent words to keep; the words that the benchmarks need are added to them."""
    frequencies: str | None = None
    """A list of words, the most frequent first, where the embedding file is not in that order."""
    mechanisms: list[MechanismName] | None = None
    """Which mechanisms to compare."""
    taus: list[Tau] | None = None
    """Least overlap of two words' neighbour lists for an edge of the graph, 0 to 1. nadp has a curve for each; the
    other mechanisms take their sensitivity from the first.
    """
    isolated: list[Isolated] | None = None
    """What to do with words alone in the graph: join them to their nearest word (nearest), give them the largest noise
    (global), leave them out (drop), or release them as they are (exact, the paper's reading). Each has curves of its
    own.
    """
    epsilons: list[Epsilon] | None = None
    """Privacy budgets; a smaller one means more noise."""
    delta: Delta | None = None
    """Probability of failure; left empty, 1 / number of words."""
    repeats: AtLeastOne | None = None
    """How many times the noise is drawn."""
    seed: int | None = None
    """Of all that is random. The noise is for research: whoever knows the seed can take it off again."""
    search: Search | None = None
    """How neighbours are found: annoy (approximate, tuned to recall), exact, or auto (by number of words)."""
    recall: Recall | None = None
    """Share of the true neighbours that annoy must find."""
    n_neighbours: ListLength | None = None
    """Length of the neighbour lists that are compared, the word itself included."""
    adjacency: ListLength | None = None
    """How many words of a list count as adjacent, the word itself included."""
    benchmarks: list[BenchmarkName] | None = None
    """Which benchmarks to evaluate. One that you name and that is not available makes the run fail."""
    benchmarks_dir: str | None = None
    """A folder of local copies of the benchmarks, tried before the network."""
    task: list[str] | None = None
    """TOML files that declare tasks of your own, as paths on the machine where the flow runs; see docs/own-tasks.md.
    With them, only the benchmarks that you name are evaluated besides.
    """
    language: Language | None = None
    """Of the words and texts, as a code such as fr; left empty, English. Of another language, the benchmarks are those
    of that language unless you name some.
    """
    tokenizer: TokenizerName | None = None
    """How texts are split: at white space (spaces), at Unicode's word boundaries (words), in the Penn Treebank style
    (treebank), or as the embedding's own model does (model); left empty, treebank for English and words for any other
    language.
    """
    show: list[str] | None = None
    """Words whose nearest words the report shows, with and without noise, as far as they are kept."""
    out: str | None = None
    """Folder of the results; left empty, runs/<preset>-<time>."""
    runner: Runner = "threads"
    """Where the curves are computed: on threads of this process (threads), one for each core, or on the workers of a
    Dask cluster (dask), all curves at once. The results are the same, bit for bit.
    """
    scheduler: str | None = None
    """Address of a running Dask scheduler, such as tcp://192.0.2.1:8786; left empty, dask starts a cluster on this
    machine, one process for each core.
    """
    plan: bool = False
    """Only say what the run would cost, and stop."""

    def check(self) -> None:
        """Refuse files that are not there, an epsilon that a mechanism cannot take, or a runner without packages."""
        check(settled(self.model_dump()))


class Settings(BaseModel):
    """An experiment with every parameter settled; see Experiment for what each means."""

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
    """Whether the user named the benchmarks or own tasks, so that one that is not available is a failure."""


_ANY_DELTA = 0.5  # stands in for 1/n, which is not known yet, where only epsilon is checked


def settled(given: dict[str, Any]) -> Settings:
    """Return the settings of an experiment: its preset, overridden by each parameter that is not None.

    Benchmarks that are not named are those of the preset; of another language than English, those of that language
    and the neighbours kept; none where there are own tasks.
    """
    chosen = {name: value for name, value in given.items() if value is not None}
    settings = PRESETS[chosen["preset"]] | {"named_benchmarks": bool(chosen.get("benchmarks") or chosen.get("task"))}
    language = base_language(chosen.get("language", ENGLISH))
    if chosen.get("task"):
        settings |= {"benchmarks": []}
    elif language != ENGLISH:
        from tasks.sources.benchmarks.catalogue import BENCHMARKS  # noqa: PLC0415 - imports Prefect

        names = [one.name for one in BENCHMARKS.values() if one.language == language]
        settings |= {"benchmarks": [*names, "neighbours"]}
    return Settings.model_validate(settings | chosen)


def located(settings: Settings) -> "list[Located]":
    """Return where the benchmarks and own tasks of an experiment are to be fetched.

    Raises:
        InputError: if a declaration is wrong, or a file is not there.
    """
    from tasks.sources.benchmarks.fetching import locate_all  # noqa: PLC0415 - imports Prefect

    return locate_all(
        settings.benchmarks, settings.task, settings.benchmarks_dir, settings.language, settings.tokenizer
    )


def forecast_of(settings: Settings) -> Plan:
    """Return what an experiment will cost; the dimension is read off the embedding's name, else 300."""
    named = re.search(r"(\d+)d\b", f"{settings.embedding} {settings.member}")
    noisy = len(curves(settings.mechanisms, settings.taus, settings.isolated)) - 1
    families = len({one.benchmark.family for one in located(settings)})
    work = cost(
        words=settings.words,
        dimension=50 if settings.embedding == "sample" else int(named[1]) if named else 300,
        curves=noisy,
        epsilons=len(settings.epsilons),
        repeats=settings.repeats,
        families=families,
    )
    benchmarks = len(settings.benchmarks) + len(settings.task)
    return plan(work, curves=noisy, settings=len(settings.epsilons), families=families, benchmarks=benchmarks)


def check(settings: Settings) -> None:
    """Refuse what can be seen to be wrong before anything is computed.

    Raises:
        InputError: for a file or folder that is not there, a task that is not as declared, an epsilon that a mechanism
            cannot take, or a runner or a shared store that cannot be used.
    """
    check_runner(settings.runner, settings.scheduler)
    check_store()
    check_embedding(settings.embedding)
    if settings.frequencies is not None and not Path(settings.frequencies).is_file():
        raise InputError(f"no frequency list {settings.frequencies!r}")
    for curve in curves(settings.mechanisms, settings.taus, settings.isolated)[1:]:
        for epsilon in settings.epsilons:
            additive(curve.mechanism).multiplier(epsilon, settings.delta or _ANY_DELTA)
    from tasks.sources.benchmarks.fetching import check_local  # noqa: PLC0415 - imports Prefect: what is above comes first

    for one in located(settings):
        check_local(one)
