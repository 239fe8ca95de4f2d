"""The bound on the sampler's deviation, compared with the exact law of what it makes of random bits."""

import math

import mpmath
import numpy as np
import pytest

from nadp import noise_multiplier
from nadp.noise.grid import noisy_on_grid
from nadp.noise.normal import FARTHEST, deviation
from tests.nadp.noise.exact_law import ExactLaw


def made(vectors, sigma, grid, source):
    return noisy_on_grid(vectors, np.full(len(vectors), sigma), grid, source)


NORMAL = ExactLaw(made, deepest=500, around=400)  # the longest run lies 26 deviations away


def normal(x, sigma, grid, cells):
    """What the normal law gives each, to some 40 digits."""
    x, found = mpmath.mpf(float(np.float32(x))), []
    with mpmath.workdps(120):
        for cell in cells:
            ends = [(mpmath.mpf(float(cell)) + half) * mpmath.mpf(grid) - x for half in (-0.5, 0.5)]
            low, high = sorted(abs(end) / mpmath.mpf(float(sigma)) for end in ends)
            found.append((mpmath.erfc(low / mpmath.sqrt(2)) - mpmath.erfc(high / mpmath.sqrt(2))) / 2)
    return found


def cells_at(x, sigma, grid, deviations):
    return np.rint((float(np.float32(x)) + sigma * np.asarray(deviations)) / grid)


def largest_error(x, sigma, grid, deviations):
    """Of the probabilities, relative."""
    cells = cells_at(x, sigma, grid, deviations)
    with mpmath.workdps(120):
        pairs = zip(NORMAL.law((x, sigma, grid), cells), normal(x, sigma, grid, cells), strict=True)
        return max(float(abs(mpmath.mpf(p.numerator) / p.denominator / q - 1)) for p, q in pairs)


def bound(x, sigma, grid, mu=0.0):
    """On one probability: the ratio of two numbers' probabilities lies between (1 - m) / (1 + m) and its inverse."""
    return math.tanh(deviation(1, sigma, grid, abs(float(np.float32(x))), mu).epsilon / 2)


SIGMAS = np.linspace(-0.98, 0.98, 40)
TERMS = [
    (0.3, 1.0, 2.0**-10),
    (-3.7, 1.4567, 2.0**-10),
    (12.3, 0.7331, 2.0**-30),
    (0.0, 1000.1, 2.0**-12),
    (1e-3, 1e-6, 2.0**-31),
    (1e5, 0.9, 2.0**-11),
    (-3.2e7, 1.1, 2.0**-10),
    (5.5, 1.0, 2.0**-40),
]


@pytest.mark.parametrize(("x", "sigma", "grid"), TERMS)
def test_no_probability_is_farther_from_the_normal_one_than_the_bound_says(x, sigma, grid):
    error = largest_error(x, sigma, grid, FARTHEST * SIGMAS)
    assert bound(x, sigma, grid) / 1000 < error <= bound(x, sigma, grid)


@pytest.mark.parametrize("mu", [6.0, 16.0])
@pytest.mark.parametrize(("x", "sigma", "grid"), TERMS)
def test_it_holds_where_a_neighbours_numbers_lie_too(x, sigma, grid, mu):
    """Numbers within 9 deviations of a word are up to 9 + mu away from its neighbour; mu is 16 at epsilon 200."""
    farther = np.linspace(FARTHEST, FARTHEST + mu, 20)
    assert largest_error(x, sigma, grid, np.concatenate([-farther, farther])) <= bound(x, sigma, grid, mu)


def test_the_bound_grows_with_the_dimension_and_with_whatever_hides_bits():
    base = deviation(100, 1.0, 2.0**-10, 1.0, 1.0)
    assert deviation(200, 1.0, 2.0**-10, 1.0, 1.0).epsilon == pytest.approx(2 * base.epsilon)
    assert deviation(200, 1.0, 2.0**-10, 1.0, 1.0).delta == pytest.approx(2 * base.delta)
    assert deviation(100, 1.0, 2.0**-11, 1.0, 1.0).epsilon == pytest.approx(2 * base.epsilon)
    assert deviation(100, 1.0, 2.0**-10, 1e9, 1.0).epsilon > 1000 * base.epsilon
    assert deviation(100, 4.0, 2.0**-10, 1.0, 1.0).epsilon > 3 * base.epsilon
    assert 1.8 * base.epsilon < deviation(100, 1.0, 2.0**-10, 1.0, 11.0).epsilon < 2 * base.epsilon


def test_two_probabilities_may_be_off_in_opposite_directions_in_every_dimension():
    """Half the grid doubles what one is off, m; the ratio of two is off by (1 + m) / (1 - m), if m is below 1."""
    one, two = (math.tanh(deviation(1, 1.0, grid, 1.0, 0.0).epsilon / 2) for grid in (2.0**-40, 2.0**-41))
    assert two == pytest.approx(2 * one, rel=1e-12)
    assert 0.4 < two < 0.9
    assert deviation(7, 1.0, 2.0**-41, 1.0, 0.0).epsilon == pytest.approx(7 * math.log((1 + two) / (1 - two)))
    assert deviation(1, 1.0, 2.0**-43, 1.0, 0.0).epsilon == math.inf


@pytest.mark.parametrize("dimension", [1, 50, 300])
def test_the_numbers_beyond_the_farthest_go_to_delta(dimension):
    with mpmath.workdps(40):
        beyond = dimension * mpmath.erfc(mpmath.mpf(FARTHEST) / mpmath.sqrt(2))
    assert deviation(dimension, 1.0, 2.0**-10, 1.0, 1.0).delta == pytest.approx(float(beyond), rel=1e-12)


def test_the_addition_is_tiny_for_an_ordinary_embedding():
    found = deviation(300, 10.0, 2.0**-10, 10.0, 1.0)
    assert found.epsilon < 1e-5
    assert found.delta < 1e-15


@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 1e-9), (2.0, 1e-6), (10.0, 1e-6), (40.0, 1e-5)])
def test_the_privacy_loss_of_two_neighbours_is_the_normal_one_but_for_what_is_added_to_epsilon(epsilon, delta):
    sigma = noise_multiplier(epsilon, delta)
    x, other, grid = 0.25, 1.25, 2.0 ** (np.floor(np.log2(sigma)) - 10)
    cells = cells_at(x, sigma, grid, FARTHEST * SIGMAS)
    cells = cells[np.abs(cells - other / grid) > 3]
    added = deviation(1, sigma, grid, other, 1 / sigma).epsilon
    p, q = (NORMAL.law((place, sigma, grid), cells) for place in (x, other))
    ideal_p, ideal_q = (normal(place, sigma, grid, cells) for place in (x, other))
    with mpmath.workdps(120):
        for made, true_p, true_q in zip(p / q, ideal_p, ideal_q, strict=True):
            loss = mpmath.log(mpmath.mpf(made.numerator) / made.denominator) - mpmath.log(true_p / true_q)
            assert abs(loss) <= added


def test_the_whole_law_sums_to_one_half_on_either_side():
    """Patterns at least k steps out and those nearer are all there are."""
    for sign in (0, 1):
        (all_of_them,) = NORMAL.patterns_beyond(sign, (0.0, 1.0, 2.0**-10), np.array([0.0]))
        assert all_of_them == 1 << (NORMAL.deepest + 53)
