"""The metrics of an experiment: the main metric of each task, their order in a report, and the attacks."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from nadp.utility.declaration import Family


class TaskMetric(NamedTuple):
    """A benchmark and its metric."""

    benchmark: str
    metric: str


STRONGEST = TaskMetric("privacy", "recovery-strongest")
"""Recovery by the strongest attack: the axis on which curves are compared."""
NEAREST = TaskMetric("privacy", "recovery-top1")
LIKELIHOOD = TaskMetric("privacy", "recovery-likelihood")
ATTACKS = (NEAREST, LIKELIHOOD)
"""The attacks of an experiment, by their recovery metric."""
SAMPLE = 100
"""Largest number of words per draw for which the disclosure is measured."""
_LEAST, _PAIRS = 25, 2_000_000
SKEWNESS = TaskMetric("privacy", "overlap-skewness")
DISCLOSURE = TaskMetric("privacy", "disclosure-r2")
"""How much a release reveals beyond identity: the second axis on which curves are compared."""
DISCLOSED = (
    DISCLOSURE,
    *(TaskMetric("privacy", f"disclosure-{name}") for name in ("bits", "mean-rank", "content-recovery", "one-topic")),
)
UTILITY = (
    TaskMetric("word-similarity", "spearman-mean"),
    TaskMetric("sts-b", "geometric-mean"),
    TaskMetric("classification", "accuracy-mean"),
    TaskMetric("odd-man-out", "accuracy"),
)
PAPER_UTILITY = (TaskMetric("word-similarity", "spearman-pooled"), *UTILITY[1:])
"""The metrics of the paper's figure. Pooled ratings from 0 to 10 and from 0 to 50 mostly measure a pair's data set."""
REFERENCE_UTILITY = (
    TaskMetric("word-similarity", "spearman-mean"),
    TaskMetric("sts-by-source", "spearman-weighted-mean"),
    TaskMetric("classification", "accuracy-mean"),
    TaskMetric("odd-man-out", "reference-correct-share"),
)
"""The metrics that the authors' code reports; some differ from the paper."""
FIXED: Mapping[str, tuple[TaskMetric, ...]] = {"paper": PAPER_UTILITY, "reference": REFERENCE_UTILITY}
"""The presets that fix the metric that represents each family."""
REPRESENTED: tuple[Family, ...] = ("word-pairs", "sentence-pairs", "labelled-texts", "odd-one-out")
"""The families that one metric represents if several of their benchmarks were run."""
OF_SEVERAL = ("word-similarity", "sts-by-source", "classification")
"""Benchmarks that summarise several benchmarks."""
# The main metric of a benchmark is the first of these that was scored: combined figures before single ones.
_MAIN = ("geometric-mean", "spearman-weighted", "spearman", "spearman-pooled", "accuracy", "neighbours-kept")
_NO_TASKS = ("privacy", "noise")  # rows of the scores that belong to no benchmark


def representatives(preset: str) -> tuple[TaskMetric, ...]:
    """Return the metric that represents each of the REPRESENTED families in the report of a preset."""
    return FIXED.get(preset, UTILITY)


def single_tasks(metrics: Iterable[TaskMetric], declared: Mapping[str, str] | None = None) -> list[TaskMetric]:
    """Return the main metric of each single benchmark among some metrics, by name.

    Args:
        metrics: the scored metrics.
        declared: the main metric of each benchmark, if known.
    """
    scored, declared = set(metrics), declared or {}
    names = sorted({name for name, _ in scored} - {*_NO_TASKS, *OF_SEVERAL})
    first = {name: [declared[name], *_MAIN] if name in declared else _MAIN for name in names}
    main = {name: next((metric for metric in first[name] if (name, metric) in scored), None) for name in names}
    return [TaskMetric(name, metric) for name, metric in main.items() if metric is not None]


def sample_of(words: int) -> int:
    """Return how many of n words are sampled in each draw to measure disclosure.

    For each sampled word, the posterior of all words is computed. The sample has 100 words, and fewer if n is large.
    """
    return max(_LEAST, min(SAMPLE, _PAIRS // words))
