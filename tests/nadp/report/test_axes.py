import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nadp.report.axes import linear, settings, shares

NUMBERS = st.floats(-1e6, 1e6).map(lambda value: round(value, 6))


@given(st.lists(NUMBERS, max_size=20))
def test_all_values_lie_on_a_linear_axis_and_keep_their_order(values):
    axis = linear(values)
    places = [axis.at(value) for value in sorted(values)]
    assert places == sorted(places)
    assert all(0 <= place <= 1 for place in places)
    if values:
        assert axis.low < min(values)
        assert axis.high > max(values)


@given(st.lists(NUMBERS, min_size=1, max_size=20))
def test_ticks_are_few_in_order_and_written_as_what_they_are(values):
    axis = linear(values)
    assert 2 <= len(axis.ticks) <= 6
    ticks = [value for value, _ in axis.ticks]
    steps = {round((b - a) / (ticks[1] - ticks[0]), 6) for a, b in pairwise(ticks)}
    assert steps == {1.0}
    assert all(axis.low <= value <= axis.high for value in ticks)
    assert [float(text) for _, text in axis.ticks] == pytest.approx(ticks, rel=1e-6, abs=1e-9)
    assert len({text for _, text in axis.ticks}) == len(ticks)


def test_values_that_are_not_finite_are_left_out_and_wanted_ends_are_kept():
    axis = linear([math.nan, 3.0, math.inf], to=(0.0,))
    assert axis.low == 0.0
    assert 3.0 < axis.high < 4.0


@given(st.lists(st.sampled_from([0.0, 0.1, 0.5, 1.0, 5.0, 10.0, 20.0, 40.0]) | st.floats(0.01, 1e3), min_size=1))
def test_settings_keep_their_order_zero_too_and_what_is_written_does_not_crowd(values):
    axis = settings(values, "epsilon")
    ordered = sorted(set(values))
    places = [axis.at(value) for value in ordered]
    assert places == sorted(places)
    assert all(0 <= place <= 1 for place in places)
    if ordered[0] == 0 and len(ordered) > 1:
        assert places[0] == 0 < places[1]
    written = [axis.at(value) for value, _ in axis.ticks]
    assert all(b - a > 0.05 for a, b in pairwise(written))
    assert axis.ticks[-1][1] == f"{ordered[-1]:g}"


def test_small_shares_are_told_apart():
    axis = shares("recovery")
    assert axis.at(0.0) == axis.at(0.001) == 0
    assert axis.at(1.0) == 1
    assert axis.at(0.1) - axis.at(0.01) == pytest.approx(1 / 3)
