"""The grid: its distance by exact arithmetic, its numbers by fractions."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from nadp import InputError
from nadp.noise.grid import grid_of, noisy_on_grid, noisy_table, on_grid
from nadp.noise.normal import standard_normal
from tests.nadp.noise.sources import seeded

SCALES = st.floats(2.0**-1000, 2.0**1000)


def drawn(vectors, scale, grid=None, seed=0):
    scale = np.broadcast_to(np.asarray(scale, dtype=np.float64), (len(vectors),))
    return noisy_on_grid(vectors, scale, grid or grid_of(scale), seeded(seed))


@given(st.lists(SCALES, min_size=1, max_size=5))
def test_the_distance_is_a_power_of_two_within_2_of_a_thousandth_of_the_least_noise(scales):
    grid = grid_of(np.array(scales))
    assert np.frexp(grid)[0] == 0.5
    assert 1 / 2 < Fraction(grid) * 1024 / Fraction(min(scales)) <= 1


@pytest.mark.parametrize("power", [3, 10, -20, 300])
def test_the_distance_is_at_or_below_a_thousandth_just_below_a_power_of_two_as_well(power):
    scale = np.nextafter(2.0**power, 0)
    assert grid_of(np.array([scale])) == 2.0 ** (power - 11)


@pytest.mark.parametrize("power", [-900, -3, 0, 3, 900])
def test_a_power_of_two_is_met_exactly(power):
    assert grid_of(np.array([2.0**power, 2.0 ** (power + 9)])) == 2.0 ** (power - 10)


@given(st.permutations([0.3, 1.0, 5.0, 70.0]))
def test_one_grid_serves_all_words_in_whatever_order(scales):
    assert grid_of(np.array(scales)) == 2.0**-12


@pytest.mark.parametrize("bad", [0.0, -1.0, np.nan, np.inf, -np.inf, 5e-324, 1e-310])
def test_a_word_without_usable_noise_is_refused_in_words(bad):
    for scales in ([bad], [1.0, bad], [bad, 1.0]):
        with pytest.raises(InputError, match="noise above 0 and finite for every word"):
            grid_of(np.array(scales))


def test_no_words_are_refused():
    with pytest.raises(InputError, match="noise"):
        grid_of(np.empty(0))


vectors_ = arrays(np.float32, (4, 3), elements=st.floats(-1e4, 1e4, width=32))


@given(vectors_, arrays(np.float64, 4, elements=st.floats(1e-3, 1e3)), st.integers(0, 2**32))
def test_every_number_is_the_float64_sum_rounded_to_the_nearest_point_of_the_grid(vectors, scale, seed):
    grid = grid_of(scale)
    found = drawn(vectors, scale, grid, seed)
    normal = standard_normal(12, seeded(seed)).reshape(4, 3)
    for (i, j), number in np.ndenumerate(found):
        total = float(scale[i]) * float(normal[i, j]) + float(vectors[i, j])
        assert Fraction(float(number)) == round(Fraction(total) / Fraction(grid)) * Fraction(grid)


@given(
    vectors_,
    arrays(np.float64, (4, 3), elements=st.floats(-1e6, 1e6)),
    st.lists(st.integers(-12, 4), min_size=4, max_size=4),
)
def test_a_sum_is_rounded_to_the_nearest_point_of_the_grid_of_its_row(vectors, noise, powers):
    grid = 2.0 ** np.array(powers)[:, None]
    for grids in (grid, float(grid[0, 0])):
        found = on_grid(vectors, noise.copy(), grids)
        for (i, j), number in np.ndenumerate(found):
            own = Fraction(float(np.broadcast_to(grids, (4, 1))[i, 0]))
            total = float(vectors[i, j]) + float(noise[i, j])
            assert Fraction(float(number)) == round(Fraction(total) / own) * own
            assert math.copysign(1, number) == 1 or number < 0


def test_the_vectors_and_the_scales_are_left_as_they_are(clustered):
    vectors, scale = clustered.vectors.copy(), np.full(len(clustered), 2.0)
    drawn(clustered.vectors, scale)
    assert (vectors == clustered.vectors).all()
    assert (scale == 2).all()


def test_loud_and_quiet_words_lie_on_the_same_grid_and_use_all_of_it(clustered):
    scale = np.where(np.arange(len(clustered)) % 2, 1.0, 1000.0)
    steps = drawn(clustered.vectors, scale) / grid_of(scale)
    assert (steps == np.rint(steps)).all()
    for words in (steps[::2], steps[1::2]):  # each last bit of a step is there as often as not
        for bit in (2, 4, 8):
            share = (words % bit >= bit / 2).mean()
            assert share == pytest.approx(0.5, abs=5 * 0.5 / np.sqrt(words.size))


def test_no_low_order_bits_of_the_vectors_are_left():
    """The remainder of x on the grid is 1/3 of a step for all, yet each number is a whole step."""
    vectors = np.full((1000, 4), np.float32(1 / 3))
    assert (drawn(vectors, 1.0) % 2.0**-10 == 0).all()


def test_zero_has_one_sign():
    vectors = np.full((200_000, 1), np.float32(-1e-6))
    found = drawn(vectors, 1.0)
    zeros = found[found == 0]
    assert len(zeros) > 20
    assert not np.signbit(zeros).any()
    assert not np.signbit(noisy_table(vectors, np.full(len(vectors), 1.0), 2.0**-10)[0][found == 0]).all()


@pytest.mark.parametrize("sampler", ["system", "opendp"])
def test_noise_that_float32_cannot_hold_is_refused(sampler):
    with pytest.raises(InputError, match="below 1e"):
        noisy_table(np.zeros((2, 3), dtype=np.float32), np.array([1.0, 1e38]), 2.0**-10, sampler)


def test_rounding_adds_less_than_a_millionth_of_the_least_variance():
    for scale in (1.0, 1.999, 3e-5):
        assert grid_of(np.array([scale])) ** 2 / 12 < 1e-6 * scale**2


def test_each_word_gets_noise_of_its_own_scale_around_its_vector(clustered):
    scale = np.geomspace(0.1, 100, len(clustered))
    noise = (drawn(clustered.vectors, scale) - clustered.vectors) / scale[:, None]
    assert noise.mean() == pytest.approx(0, abs=5 / np.sqrt(noise.size))
    assert (noise**2).mean() == pytest.approx(1, abs=5 * np.sqrt(2 / noise.size))
    assert abs(np.corrcoef(np.log(scale), np.log((noise**2).mean(axis=1)))[0, 1]) < 5 / np.sqrt(len(scale))


def test_a_table_is_on_the_grid_has_fresh_noise_in_every_block_and_says_whether_float32_holds_it():
    vectors = np.zeros((9000, 5), dtype=np.float32)  # three blocks
    table, exact = noisy_table(vectors, np.full(9000, 1.0), 2.0**-10)
    assert exact
    assert table.dtype == np.float32
    assert (table % np.float32(2.0**-10) == 0).all()
    assert table.std() == pytest.approx(1, abs=5 / np.sqrt(2 * table.size))
    assert (table != 0).any(axis=1).all()
    assert abs((table[:4096] * table[4096:8192]).mean()) < 5 / np.sqrt(4096 * 5)
    again, _ = noisy_table(vectors, np.full(9000, 1.0), 2.0**-10)
    assert abs((table * again).mean()) < 5 / np.sqrt(table.size)


def test_where_float32_is_too_coarse_its_numbers_are_still_on_the_grid():
    vectors = np.full((50, 5), np.float32(1e6))
    table, exact = noisy_table(vectors, np.full(50, 1.0), 2.0**-10)
    assert not exact
    assert (table.astype(np.float64) % 2.0**-10 == 0).all()
