import math

import numpy as np
import pytest

from nadp import Score
from nadp.experiment.curves import Curve
from nadp.experiment.means import Means
from nadp.experiment.metrics import TaskMetric, representatives, single_tasks

MEN = TaskMetric("men", "spearman")


def test_means_are_over_the_repeats_by_setting_and_curve():
    values = {1.0: [0.2, 0.4], 40.0: [0.5, 0.9]}
    scores = [
        Score(*MEN, value, 9, 1.0, item_error=0.1).at("nadp", 0.1, "nearest", epsilon, repeat)
        for epsilon, repeats in values.items()
        for repeat, value in enumerate(repeats)
    ]
    means = Means([*reversed(scores), Score(*MEN, 0.95, 9, 1.0)])
    found = means.of(MEN)
    assert set(found) == {Curve("nadp", 0.1, "nearest"), Curve("none")}
    expected = [[e, np.mean(v), np.std(v, ddof=1) / math.sqrt(2), 0.1] for e, v in values.items()]
    np.testing.assert_allclose(found[Curve("nadp", 0.1, "nearest")], expected)
    np.testing.assert_equal(found[Curve("none")], [[math.nan, 0.95, math.nan, math.nan]])
    assert means.metrics == [MEN]
    assert means.present([TaskMetric("mr", "accuracy"), MEN]) == [MEN]


def test_figures_that_are_not_defined_and_metrics_that_are_not_there_have_no_points():
    means = Means([Score(*MEN, math.nan, 9, 1.0).at("nadp", 0.1, "nearest", 1.0, 0)])
    assert means.of(MEN) == means.comparable(MEN) == {}


def test_the_floor_is_that_of_random_vectors_on_the_words_that_are_compared():
    plain, common = Score(*MEN, 0.5, 9, 1.0, floor=0.1), Score(*MEN, 0.4, 5, 1.0, words="common", floor=0.2)
    noisy = Score(*MEN, 0.3, 9, 1.0).at("nadp", 0.1, "nearest", 1.0, 0)
    assert Means([plain, noisy]).floor(MEN) == 0.1
    assert Means([plain, common]).floor(MEN) == 0.2
    assert math.isnan(Means([noisy]).floor(MEN))


def test_common_words_are_taken_where_there_are_some():
    scores = [Score(*MEN, 0.5, 9, 1.0), Score(*MEN, 0.4, 5, 1.0, words="common"), Score("mr", "accuracy", 0.8, 5, 1.0)]
    means = Means(scores)
    assert means.of(MEN)[Curve("none")][0, 1] == 0.5
    assert means.comparable(MEN)[Curve("none")][0, 1] == 0.4
    assert means.comparable(TaskMetric("mr", "accuracy"))[Curve("none")][0, 1] == 0.8


@pytest.mark.parametrize("preset", ["demo", "paper", "reference"])
def test_the_headlines_of_a_preset_are_metrics_of_different_benchmarks(preset):
    found = representatives(preset)
    assert len({metric.benchmark for metric in found}) == len(found) == 4


def test_a_single_task_has_its_main_metric_and_what_stands_for_several_is_none():
    have = [
        *(TaskMetric("sts-b", metric) for metric in ("pearson", "spearman", "geometric-mean")),
        *(TaskMetric("odd-man-out", metric) for metric in ("abstained", "accuracy", "correct")),
        *(TaskMetric("mr", metric) for metric in ("accuracy", "majority-share")),
        TaskMetric("word-similarity", "spearman-mean"),
        TaskMetric("privacy", "recovery-top1"),
        TaskMetric("noise", "share-released"),
        MEN,
    ]
    assert single_tasks(have) == [
        MEN,
        TaskMetric("mr", "accuracy"),
        TaskMetric("odd-man-out", "accuracy"),
        TaskMetric("sts-b", "geometric-mean"),
    ]


def test_a_task_has_the_metric_that_it_was_declared_with_and_neighbours_kept_have_theirs():
    have = [
        *(TaskMetric("tickets", metric) for metric in ("accuracy", "macro-f1")),
        *(TaskMetric("pairs", metric) for metric in ("pearson", "spearman")),
        TaskMetric("near", "neighbours-kept"),
    ]
    found = dict(single_tasks(have, {"tickets": "macro-f1", "pairs": "pearson", "near": "neighbours-kept"}))
    assert found == {"tickets": "macro-f1", "pairs": "pearson", "near": "neighbours-kept"}
    assert dict(single_tasks(have)) == {"tickets": "accuracy", "pairs": "spearman", "near": "neighbours-kept"}
