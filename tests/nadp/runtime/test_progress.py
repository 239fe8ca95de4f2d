import logging
import math
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nadp.runtime.progress import Estimate, Seldom, Stage, duration, percent, reporting, rest, tracked


class Clock:
    """Seconds that pass only when they are asked to."""

    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now

    def wait(self, seconds):
        self.now += seconds


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def heard():
    """What a listener hears: name, done, total and whether it has ended."""
    told = []
    with reporting(lambda stage: told.append((stage.name, stage.done, stage.total, stage.ended))):
        yield told


@pytest.mark.parametrize(("total", "seconds"), [(1, 3.0), (10, 0.25), (450, 7.0)])
def test_at_a_constant_rate_the_estimate_is_the_time_that_is_left(clock, total, seconds):
    estimate = Estimate(total, clock=clock)
    for done in range(1, total + 1):
        clock.wait(seconds)
        estimate.add(1)
        assert estimate.seconds == pytest.approx(seconds * (total - done))


def test_between_two_units_the_estimate_counts_down_and_never_below_zero(clock):
    estimate = Estimate(3, clock=clock)
    clock.wait(10)
    estimate.add(1)
    for waited, left in [(0, 20), (5, 15), (10, 5), (90, 0)]:
        clock.wait(waited)
        assert estimate.seconds == left


def test_units_that_were_done_before_count_as_done_but_say_nothing_of_the_others(clock):
    estimate = Estimate(100, given=40, clock=clock)
    assert estimate.seconds is None
    clock.wait(20)
    estimate.add(10)
    assert estimate.seconds == 2.0 * 50


def test_neither_do_units_that_are_found_in_between_nor_the_time_until_then(clock):
    estimate = Estimate(10, clock=clock)
    clock.wait(0.1)
    estimate.add(3, given=True)
    assert estimate.seconds is None
    clock.wait(6)
    estimate.add(1)
    assert estimate.seconds == pytest.approx(6 * 6)
    clock.wait(0.5)
    estimate.add(4, given=True)
    assert estimate.seconds == pytest.approx(6 * 2)


@given(
    st.integers(0, 20),
    st.integers(0, 25),
    st.lists(st.tuples(st.integers(0, 9), st.booleans(), st.floats(0, 1e6))),
)
def test_an_estimate_is_never_negative_infinite_or_no_number(total, before, steps):
    clock = Clock()
    estimate = Estimate(total, before, clock)
    left = total - before
    for units, found, waited in steps:
        clock.wait(waited)
        estimate.add(units, given=found)
        left -= units
        seconds = estimate.seconds
        assert seconds is None or (math.isfinite(seconds) and seconds >= 0)
        assert (seconds == 0) >= (left <= 0)


def test_lines_become_rarer(clock):
    seldom, lines = Seldom(clock), []
    for second in range(1, 1500):
        clock.wait(1)
        if seldom.due():
            lines.append(second)
    assert lines == [10, 30, 70, 150, 310, 610, 910, 1210]


def test_a_pause_begins_with_the_line_however_late_it_came(clock):
    seldom = Seldom(clock)
    clock.wait(1000)
    assert [seldom.due(), seldom.due()] == [True, False]
    clock.wait(19)
    assert not seldom.due()
    clock.wait(1)
    assert seldom.due()


def test_a_long_stage_tells_in_the_log_how_far_it_is_and_how_long_it_took(clock, caplog):
    caplog.set_level(logging.INFO, "nadp.runtime.progress")
    with Stage("decoding", 4000, "words", given=1000, clock=clock) as stage:
        for seconds in (6, 6, 8, 9, 4, 3):
            clock.wait(seconds)
            stage.advance(500)
    assert [record.getMessage() for record in caplog.records] == [
        "decoding: 50 %, 2,000 of 4,000 words, about 24 seconds left",
        "decoding: 87 %, 3,500 of 4,000 words, about 7 seconds left",
        "decoding: 4,000 words in 36 seconds",
    ]


def test_a_stage_of_one_long_step_tells_when_it_is_done(clock, caplog):
    caplog.set_level(logging.INFO, "nadp.runtime.progress")
    with Stage("decoding", 5, clock=clock) as stage:
        clock.wait(70)
        stage.advance(5)
    assert [record.getMessage() for record in caplog.records] == ["decoding: 5 rows in 70 seconds"]


def test_a_short_stage_leaves_no_line(clock, caplog):
    caplog.set_level(logging.INFO, "nadp.runtime.progress")
    with Stage("decoding", 10, clock=clock) as stage:
        clock.wait(9)
        stage.reach(10)
    assert not caplog.records


def test_a_stage_of_unknown_length_tells_what_is_done(clock):
    stage = Stage("downloading", 0, "MB", clock=clock)
    clock.wait(5)
    stage.reach(120)
    assert str(stage) == "downloading: 120 MB"
    assert stage.left is None


def test_a_listener_hears_the_beginning_every_step_and_the_end(heard):
    with Stage("one", 4, given=1) as stage:
        stage.advance(2)
        stage.reach(4)
    assert heard == [("one", 1, 4, False), ("one", 3, 4, False), ("one", 4, 4, False), ("one", 4, 4, True)]


def test_a_stage_that_fails_has_ended_too_but_is_not_said_to_be_done(heard, clock, caplog):
    caplog.set_level(logging.INFO, "nadp.runtime.progress")

    def failing():
        with Stage("one", 4, clock=clock) as stage:
            clock.wait(11)
            stage.advance(1)
            raise OSError("no more")

    with pytest.raises(OSError, match="no more"):
        failing()
    assert heard[-1] == ("one", 1, 4, True)
    assert [record.getMessage() for record in caplog.records] == ["one: 25 %, 1 of 4 rows, about 33 seconds left"]


def test_items_are_counted_when_the_next_one_is_asked_for(heard):
    assert list(tracked("abc", "letters", "letters")) == ["a", "b", "c"]
    assert [done for _, done, _, _ in heard] == [0, 1, 2, 3, 3]


def test_only_the_innermost_listener_hears_and_only_inside_its_block(heard):
    inner = []
    with reporting(inner.append), Stage("inside", 1):
        pass
    with Stage("outside", 1):
        pass
    assert [stage.name for stage in inner] == ["inside"] * 2
    assert {name for name, *_ in heard} == {"outside"}


def test_a_thread_without_the_context_is_not_heard(heard):
    thread = threading.Thread(target=lambda: list(tracked("abc", "letters", "letters")))
    thread.start()
    thread.join()
    assert heard == []


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.2, "1 second"),
        (1.6, "2 seconds"),
        (119, "119 seconds"),
        (121, "2 minutes"),
        (7000, "117 minutes"),
        (9000, "2 hours"),
    ],
)
def test_a_time_is_reported_in_the_unit_that_suits_it(seconds, said):
    assert duration(seconds) == said


def test_nothing_is_claimed_for_the_rest_where_nothing_is_known_or_left():
    assert [rest(None), rest(0.0), rest(12.0)] == ["", "", ", about 12 seconds left"]


@pytest.mark.parametrize(("done", "total", "share"), [(0, 3, 0), (999, 1000, 99), (3, 3, 100), (4, 3, 100)])
def test_a_hundred_per_cent_means_all(done, total, share):
    assert percent(done, total) == share
