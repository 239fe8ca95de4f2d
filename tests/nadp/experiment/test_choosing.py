import io
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from nadp import InputError, Score
from nadp.experiment import choose
from nadp.experiment.metrics import TaskMetric
from nadp.scores import score_table

EPSILONS = (1.0, 2.0, 5.0, 10.0)
TASK = TaskMetric("pairs", "spearman")


def curve(mechanism, useful, recovery, *, repeats=1, item_error=0.0, task=TASK, tau=None, isolated=None):  # noqa: PLR0913
    """Scores of a curve whose utility and recovery are functions of epsilon (and the repeat)."""
    for repeat in range(repeats):
        for epsilon in EPSILONS:
            place = (mechanism, tau, isolated, epsilon, repeat)
            yield Score(*task, useful(epsilon, repeat), 10, 1.0, item_error=item_error).at(*place)
            yield Score("privacy", "recovery-strongest", recovery(epsilon), 10, 1.0).at(*place)


def linear(factor):
    return lambda epsilon, *_: factor * epsilon


def only(frame):
    assert len(frame) == 1
    return frame.iloc[0]


@pytest.mark.parametrize(("level", "low", "high"), [(0.25, 2, 5), (0.5, 5, 10), (0.1, 1, 2), (0.31, 2, 5)])
def test_utility_is_interpolated_between_settings_and_settings_by_their_logarithms(level, low, high):
    found = only(choose(curve("nadp", linear(3), linear(0.1), tau=0.1, isolated="nearest"), level))
    assert found["utility"] == pytest.approx(30 * level)
    assert found["recovery"] == pytest.approx(level)
    share = (10 * level - low) / (high - low)
    assert np.log(found["setting"]) == pytest.approx((1 - share) * np.log(low) + share * np.log(high))
    assert (found["mechanism"], found["tau"], found["isolated"], found["parameter"]) == (
        "nadp",
        0.1,
        "nearest",
        "epsilon",
    )
    assert (found["benchmark"], found["metric"]) == TASK


def test_a_curve_that_stays_below_is_reported_at_its_largest_recovery():
    found = only(choose(curve("gaussian", linear(3), linear(0.001)), 0.1))
    assert (found["setting"], found["recovery"], found["utility"]) == (10.0, pytest.approx(0.01), pytest.approx(30))


def test_a_curve_that_never_comes_down_has_neither_utility_nor_setting():
    found = only(choose(curve("nadp", linear(3), lambda e: 0.5 + 0.01 * e), 0.1))
    assert found["recovery"] == pytest.approx(0.51)
    assert found[["setting", "utility", "low", "high"]].isna().all()


def test_what_exceeds_the_vectors_without_noise_is_cut_off():
    scores = [*curve("nadp", lambda e, _: 12 - e, linear(0.1), item_error=0.5), Score(*TASK, 9.0, 10, 1.0)]
    cut, whole = only(choose(scores, 0.2)), only(choose(scores, 0.5))
    assert (cut["utility"], cut["high"]) == (9.0, 9.0)
    assert cut["low"] == pytest.approx(9 - 1.96 * 0.5)
    assert (whole["utility"], whole["high"]) == pytest.approx((7.0, 7.98))


def test_there_is_a_row_for_each_task_and_mechanism_and_the_ends_of_each_task():
    scores = [
        *curve("nadp", linear(0.01), linear(0.1), task=TaskMetric("mr", "accuracy")),
        *curve("mahalanobis", linear(0.02), linear(0.1), task=TaskMetric("mr", "accuracy")),
        *curve("nadp", linear(0.03), linear(0.1)),
        Score("mr", "accuracy", 0.8, 10, 1.0, floor=0.6),
        Score(*TASK, 0.7, 10, 1.0),
    ]
    found = choose(scores, 0.2).set_index(["benchmark", "mechanism"])
    assert sorted(found.index) == [("mr", "mahalanobis"), ("mr", "nadp"), ("pairs", "nadp")]
    assert found.loc["mr", "clean"].tolist() == [0.8, 0.8]
    assert found.loc["mr", "floor"].tolist() == [0.6, 0.6]
    assert found.loc[("pairs", "nadp"), "clean"] == 0.7
    assert np.isnan(found.loc[("pairs", "nadp"), "floor"])
    chosen = choose(scores, 0.2, metrics={"pairs": "spearman"})
    assert chosen["benchmark"].tolist() == ["pairs"]


def test_intervals_hold_the_truth_about_as_often_as_they_say():
    """Items, repeats and the recovery itself all err; the interval is about the expected utility at the recovery."""
    rng = np.random.default_rng(0)
    scores = []
    experiments, repeats = 300, 8
    for experiment in range(experiments):  # each a curve with errors of its own
        items = 0.05 * rng.normal()
        for repeat in range(repeats):
            for epsilon in EPSILONS:
                place = ("nadp", experiment / experiments, None, epsilon, repeat)
                useful = 0.1 * epsilon + items + 0.05 * rng.normal()
                scores.append(Score(*TASK, useful, 10, 1.0, item_error=0.05).at(*place))
                attacked = 0.1 * epsilon + 0.05 * rng.normal()
                scores.append(Score("privacy", "recovery-strongest", attacked, 10, 1.0).at(*place))
    found = choose(scores, 0.35)
    assert found["tau"].nunique() == experiments
    held = (found["low"] <= 0.35) & (found["high"] >= 0.35)
    assert 0.9 < held.mean() < 0.99


def test_the_table_that_a_run_writes_gives_the_same_choice(experiment):
    written = score_table(experiment.scores).to_csv(index=False)
    read = choose(pd.read_csv(io.StringIO(written)), 0.1)
    own = choose(experiment.scores, 0.1)
    assert len(own) == len(experiment.manifest.noisy)
    pd.testing.assert_frame_equal(read, own, check_dtype=False)
    pd.testing.assert_frame_equal(choose(experiment.scores[::-1], 0.1), own)


def test_where_words_are_left_out_curves_are_compared_on_those_that_all_release():
    plain = list(curve("nadp", linear(3), linear(0.1)))
    shared = [replace(score, words="common", value=score.value / 2) for score in plain]
    found = only(choose([*plain, *shared], 0.1))
    assert found["utility"] == pytest.approx(3)  # half the utility at twice the epsilon


def test_another_attack_may_count():
    scores = list(curve("nadp", linear(3), linear(0.1)))
    stronger = [
        replace(score, metric="recovery-likelihood", value=min(1.0, 2 * score.value))
        for score in scores
        if score.benchmark == "privacy"
    ]
    found = only(choose(scores + stronger, 0.4, attack=TaskMetric("privacy", "recovery-likelihood")))
    assert found["utility"] == pytest.approx(6)


def test_the_metric_may_be_named_and_one_that_was_not_scored_is_refused():
    scores = [*curve("nadp", linear(3), linear(0.1)), *curve("nadp", linear(2), linear(0.1), task=("pairs", "pearson"))]
    assert only(choose(scores, 0.1))["metric"] == "spearman"
    found = only(choose(scores, 0.1, metrics={"pairs": "pearson"}))
    assert (found["metric"], found["utility"]) == ("pearson", pytest.approx(2))
    for wrong in ({"pairs": "accuracy"}, {"other": "pearson"}):
        with pytest.raises(InputError, match=f"'{next(iter(wrong))}'"):
            choose(scores, 0.1, metrics=wrong)


@pytest.mark.parametrize("level", [0.0, -0.1, 1.1, float("nan")])
def test_a_recovery_that_is_no_share_is_refused(level):
    with pytest.raises(InputError, match="max_recovery"):
        choose(curve("nadp", linear(3), linear(0.1)), level)


def test_scores_without_an_attack_are_refused():
    with pytest.raises(InputError, match="recovery-strongest"):
        choose([Score(*TASK, 0.5, 10, 1.0)], 0.1)
    with pytest.raises(InputError, match="recovery-strongest"):
        choose([Score("privacy", "recovery-strongest", 1.0, 10, 1.0)], 0.1)
