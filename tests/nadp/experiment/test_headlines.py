"""The tasks that a report leads with."""

from dataclasses import replace

import pytest

from nadp.experiment.headlines import headlines
from nadp.experiment.manifest import BenchmarkFacts
from nadp.experiment.metrics import TaskMetric

METRICS = {
    "labelled-texts": ("accuracy", "macro-f1"),
    "word-pairs": ("spearman",),
    "sentence-pairs": ("geometric-mean",),
    "neighbours": ("neighbours-kept",),
}
MEANS = {"labelled-texts": ("classification", "accuracy-mean"), "word-pairs": ("word-similarity", "spearman-mean")}


@pytest.fixture
def led(experiment):
    """The benchmarks and metrics that a run with built-in benchmarks and own tasks leads with."""

    def led(built_in=(), own=(), preset="demo"):
        every = [
            BenchmarkFacts(name, family, metric, "a file", 9, "0" * 64, "", "none", "nobody")
            for name, family, metric in (*built_in, *own)
        ]
        scored = {TaskMetric(b.name, metric) for b in every for metric in METRICS[b.family]}
        scored |= {TaskMetric(*MEANS[b.family]) for b in every if b.family in MEANS}
        parameters = {"benchmarks": [name for name, *_ in built_in], "task": ["a.toml"] if own else None}
        manifest = replace(experiment.manifest, preset=preset, parameters=parameters, benchmarks=tuple(every))
        return [tuple(task) for task in headlines(manifest, scored)]

    return led


MR, CR = ("mr", "labelled-texts", "accuracy"), ("cr", "labelled-texts", "accuracy")
NEAR = ("neighbours", "neighbours", "neighbours-kept")
TICKETS = ("tickets", "labelled-texts", "macro-f1")


def test_own_tasks_come_first_with_the_metric_that_they_declare(led):
    assert led(own=[TICKETS]) == [("tickets", "macro-f1")]
    assert led([MR, CR], [TICKETS]) == [("tickets", "macro-f1"), ("classification", "accuracy-mean")]
    assert led([MR], [TICKETS]) == [("tickets", "macro-f1"), ("mr", "accuracy")]


def test_several_benchmarks_of_a_family_are_represented_and_a_single_one_is_not(led):
    assert led([MR, CR]) == [("classification", "accuracy-mean")]
    assert led([MR]) == [("mr", "accuracy")]
    assert led([MR], preset="reference") == [("classification", "accuracy-mean")]


def test_families_without_a_representative_are_not_left_out(led):
    french = ("sts-b-fr", "sentence-pairs", "geometric-mean")
    assert led([MR, CR, NEAR]) == [("classification", "accuracy-mean"), ("neighbours", "neighbours-kept")]
    assert led([french, NEAR]) == [("sts-b-fr", "geometric-mean"), ("neighbours", "neighbours-kept")]
    stands_for = ("sts-b", "sentence-pairs", "geometric-mean")
    assert led([stands_for, french]) == [("sts-b", "geometric-mean")]
