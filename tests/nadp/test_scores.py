import math
from dataclasses import replace

import numpy as np
import pytest

from nadp import MECHANISMS, Score
from nadp.scores import COLUMNS, curve_label, mean_and_error, score_table

VALUES = [0.5, 0.7, 0.9]


def scores():
    base = Score("men", "spearman", 0.8, 90, 0.9)
    noisy = [
        Score("men", "spearman", value, 90, 0.9).at("nadp", 0.1, "nearest", 2.0, repeat)
        for repeat, value in enumerate(VALUES)
    ]
    return [*noisy, base.at("mahalanobis", None, None, 1.0, 0), base]


def test_the_table_has_a_row_for_each_score_whatever_their_order():
    table = score_table(scores())
    assert list(table.columns) == COLUMNS
    assert table["mechanism"].tolist() == ["none", "nadp", "nadp", "nadp", "mahalanobis"]
    assert table["value"].tolist() == [0.8, *VALUES, 0.8]
    assert table.equals(score_table(reversed(scores())))
    assert score_table([]).empty


def test_every_score_shows_the_floor_that_came_with_the_score_without_noise():
    rows = [*scores()[:-1], replace(scores()[-1], floor=0.1), Score("mr", "accuracy", 0.7, 9, 1.0)]
    table = score_table(rows).set_index("benchmark")["floor"]
    assert set(table["men"]) == {0.1}
    assert math.isnan(table["mr"])


def test_every_mechanism_has_its_place_in_the_table():
    table = score_table(Score("a", "b", 1.0, 1, 1.0).at(name, 0.1, "drop", 1.0, 0) for name in MECHANISMS)
    assert sorted(table["mechanism"]) == sorted(MECHANISMS)


def test_mean_and_standard_error_are_over_the_repeats():
    summary = mean_and_error(score_table(scores()))
    noisy = summary[summary["mechanism"] == "nadp"].iloc[0]
    assert noisy["mean"] == pytest.approx(np.mean(VALUES))
    assert noisy["error"] == pytest.approx(np.std(VALUES, ddof=1) / math.sqrt(3))
    assert (noisy["repeats"], noisy["items"], noisy["coverage"]) == (3, 90, 0.9)
    alone = summary[summary["mechanism"] == "none"].iloc[0]
    assert (alone["mean"], alone["repeats"]) == (0.8, 1)
    assert math.isnan(alone["error"])
    assert math.isnan(alone["epsilon"])


def test_curves_have_their_labels():
    assert curve_label("none", None, None) == "no noise"
    assert curve_label("mahalanobis", None, None) == curve_label("mahalanobis", math.nan, None) == "mahalanobis"
    assert curve_label("nadp", 0.1, "drop") == "nadp tau=0.1 drop"
