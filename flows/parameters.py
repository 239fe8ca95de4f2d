"""The parameters of an experiment: their types, the presets, and how the two become settings."""

import re
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from flows.runners import Runner, check_runner
from nadp.components import Isolated
from nadp.errors import InputError
from nadp.experiment.curves import curves
from nadp.experiment.plan import Plan, plan
from nadp.mechanisms import additive
from nadp.search import Search
from nadp.tokens import ENGLISH, TokenizerName, base_language
from tasks.embedding import local_file
from tasks.sources.archives import GLOVE
from tasks.sources.benchmarks.catalogue import BENCHMARKS
from tasks.sources.benchmarks.fetching import Located, check_local, locate_all
from tasks.store.sharing import check_store

Preset = Literal["demo", "paper", "reference"]
MechanismName = Literal[
    "nadp",
    "gaussian",
    "gaussian-classical",
    "laplacian",
    "laplacian-reference",
    "mahalanobis",
    "jaccard",
    "jaccard-reference",
    "groups",
    "groups-by-share",
]
Releasable = Literal["nadp", "gaussian"]
Encodable = Literal["nadp", "gaussian", "laplacian", "mahalanobis"]
BenchmarkName = Literal[
    "men",
    "simlex999",
    "simverb3500",
    "simverb3000-test",
    "wordsim353",
    "rg65",
    "mc30",
    "rw",
    "mturk771",
    "scws",
    "sts-b",
    "sts12",
    "sts13",
    "sts14",
    "sts15",
    "sts16",
    "mr",
    "cr",
    "mpqa",
    "subj",
    "sst2",
    "odd-man-out",
    "neighbours",
    "sts-b-de",
    "sts-b-es",
    "sts-b-fr",
    "sts-b-it",
    "sts-b-nl",
    "sts-b-pl",
    "sts-b-pt",
    "sts-b-ru",
    "sts-b-zh",
    "gur350",
    "zg222",
    "simlex999-de",
    "wordsim353-de",
]

AtLeastOne = Annotated[int, Field(ge=1)]
Tau = Annotated[float, Field(ge=0, le=1)]
Epsilon = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Delta = Annotated[float, Field(gt=0, lt=1)]
Share = Annotated[float, Field(gt=0, le=1)]
ShareOrNone = Annotated[float, Field(ge=0, le=1)]
Recall = Annotated[float, Field(gt=0, le=1)]
Language = Annotated[str, Field(pattern=r"^[a-z]{2,3}([-_][A-Za-z0-9]{2,8})*$")]
Draws = Annotated[int, Field(ge=0)]
FalseAlarm = Annotated[float, Field(gt=0, lt=1)]
ListLength = Annotated[int, Field(ge=2)]


class Settings(BaseModel):
    """An experiment with every parameter settled; see flows.experiment for what each means."""

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

_COMMON: dict[str, Any] = {
    "embedding": "sample",
    "member": None,
    "sha256": None,
    "strict": False,
    "words": 10_000,
    "frequencies": None,
    "mechanisms": ["nadp", "gaussian", "laplacian", "mahalanobis", "jaccard"],
    "taus": [0.1],
    "isolated": ["nearest"],
    "delta": None,
    "repeats": 5,
    "seed": 0,
    "search": "annoy",
    "recall": 0.95,
    "n_neighbours": 10,
    "adjacency": 2,
    "benchmarks": ["men", "simlex999", "simverb3500", "wordsim353", "sts-b", "mr", "cr", "mpqa", "odd-man-out"],
    "benchmarks_dir": None,
    "task": [],
    "language": ENGLISH,
    "tokenizer": None,
    "show": ["misogynist", "police", "hitler", "wikileaks", "FBI"],
    "out": None,
    "runner": "threads",
    "scheduler": None,
    "plan": False,
}

_FULL_SIZE: dict[str, Any] = {
    "embedding": "glove.42B.300d",
    "words": 73_404,
    "mechanisms": ["nadp", "jaccard", "mahalanobis", "gaussian", "laplacian"],
    "taus": [0.1, 0.2, 0.3, 0.4, 0.5],
    "isolated": ["exact"],
    "epsilons": [round(0.8 * step, 1) for step in range(1, 51)],
    "search": "exact",
}

PRESETS: dict[str, dict[str, Any]] = {
    "demo": {**_COMMON, "isolated": ["nearest", "exact"], "epsilons": [1.0, 5.0, 10.0, 20.0, 40.0]},
    "paper": {
        **_COMMON,
        **_FULL_SIZE,
        "benchmarks": ["men", "simlex999", "simverb3500", "sts-b", "mr", "cr", "mpqa", "odd-man-out"],
    },
    "reference": {
        **_COMMON,
        **_FULL_SIZE,
        "mechanisms": ["nadp", "jaccard-reference", "mahalanobis", "gaussian", "laplacian-reference"],
        "repeats": 1,
        "benchmarks": [
            *("men", "simlex999", "simverb3000-test"),
            *("sts12", "sts13", "sts14", "sts15", "sts16"),
            *("sst2", "mr", "cr", "subj"),
            "odd-man-out",
        ],
    },
}
"""What each preset stands for; a parameter that is given wins."""


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
        names = [one.name for one in BENCHMARKS.values() if one.language == language]
        settings |= {"benchmarks": [*names, "neighbours"]}
    return Settings.model_validate(settings | chosen)


def located(settings: Settings) -> list[Located]:
    """Return where the benchmarks and own tasks of an experiment are to be fetched.

    Raises:
        InputError: if a declaration is wrong, or a file is not there.
    """
    return locate_all(
        settings.benchmarks, settings.task, settings.benchmarks_dir, settings.language, settings.tokenizer
    )


def forecast_of(settings: Settings) -> Plan:
    """Return what an experiment will cost; the dimension is read off the embedding's name, else 300."""
    named = re.search(r"(\d+)d\b", f"{settings.embedding} {settings.member}")
    return plan(
        words=settings.words,
        dimension=50 if settings.embedding == "sample" else int(named[1]) if named else 300,
        curves=len(curves(settings.mechanisms, settings.taus, settings.isolated)) - 1,
        epsilons=len(settings.epsilons),
        repeats=settings.repeats,
        families=len({one.benchmark.family for one in located(settings)}),
        benchmarks=len(settings.benchmarks) + len(settings.task),
    )


def check(settings: Settings) -> None:
    """Refuse what can be seen to be wrong before anything is computed.

    Raises:
        InputError: for a file or folder that is not there, a task that is not as declared, an epsilon that a mechanism
            cannot take, or a runner or a shared store that cannot be used.
    """
    check_runner(settings.runner, settings.scheduler)
    check_store()
    if settings.embedding not in GLOVE:
        local_file(settings.embedding)
    if settings.frequencies is not None and not Path(settings.frequencies).is_file():
        raise InputError(f"no frequency list {settings.frequencies!r}")
    for one in located(settings):
        check_local(one)
    for curve in curves(settings.mechanisms, settings.taus, settings.isolated)[1:]:
        for epsilon in settings.epsilons:
            additive(curve.mechanism).multiplier(epsilon, settings.delta or _ANY_DELTA)
