import math

import numpy as np
import pytest

from nadp import InputError
from nadp.groups import Exponential, best_success
from tests import reference

EPSILON = 1.3


@pytest.fixture(scope="module")
def points():
    return np.random.default_rng(0).normal(size=(7, 3)).astype(np.float32)


@pytest.fixture(scope="module")
def table(points):
    weights = [[math.exp(-EPSILON / 2 * reference.distance(x, y)) for y in points] for x in points]
    return np.array([[w / sum(row) for w in row] for row in weights])


def test_chances_are_those_of_the_exponential_mechanism(points, table):
    made = Exponential(points, EPSILON)
    assert made.chances(slice(None)) == pytest.approx(table)
    assert made.likelihoods(slice(None)) == pytest.approx(table.T)
    assert made.chances(np.array([3, 1])) == pytest.approx(table[[3, 1]])


def test_no_output_tells_two_points_apart_by_more_than_epsilon_times_their_distance(points, table):
    for i, x in enumerate(points):
        for j, y in enumerate(points):
            assert np.log(table[i] / table[j]).max() <= EPSILON * reference.distance(x, y) + 1e-12


def test_the_best_attacker_is_the_best_of_all_attackers(points, table):
    labels, weights = np.array([0, 0, 1, 2, 3, 4, 5, 6, 6]), np.arange(1.0, 10)
    expected = sum(max(weights[w] * table[labels[w], out] for w in range(9)) for out in range(7)) / weights.sum()
    assert Exponential(points, EPSILON).best_success(labels, weights) == pytest.approx(expected)
    joint = weights[:, None] * table[labels]
    sure, _ = Exponential(points, EPSILON).attacked(labels, weights)
    assert sure == pytest.approx((joint / joint.sum(axis=0)).max())


def test_with_a_large_epsilon_the_group_itself_comes_out(points):
    labels, weights = np.arange(9) % 7, np.arange(1.0, 10)
    sharp = Exponential(points, 1e4)
    assert sharp.best_success(labels, weights) == pytest.approx(best_success(labels, weights))
    assert sharp.drawn(labels, np.linspace(0.01, 0.99, 9)).tolist() == labels.tolist()


def test_draws_follow_the_chances(points, table):
    made = Exponential(points, EPSILON)
    uniform = (np.arange(20_000) + 0.5) / 20_000
    for start in (0, 4):
        drawn = made.drawn(np.full(20_000, start), uniform)
        assert np.bincount(drawn, minlength=7) / 20_000 == pytest.approx(table[start], abs=2e-4)


def test_outputs_of_the_smallest_probability_are_drawn_with_it():
    """In sums that begin with the most probable output, most of these would round to the sum before them."""
    far = np.linspace(15, 25, 300)
    made = Exponential(np.concatenate([[0], far])[:, None].astype(np.float32), 4.0)
    chances = made.chances(slice(0, 1))[0]
    rare = chances[1:].sum()
    assert chances.min() < 1e-21
    assert rare < 1e-11
    drawn = made.drawn(np.zeros(200_000, dtype=np.int64), (np.arange(200_000) + 0.5) / 200_000 * rare)
    assert np.bincount(drawn, minlength=301) / 200_000 * rare == pytest.approx(
        np.where(np.arange(301), chances, 0), abs=1e-5 * rare
    )


@pytest.mark.parametrize("epsilon", [0, -1, np.inf, np.nan])
def test_an_epsilon_that_is_none_is_refused(points, epsilon):
    with pytest.raises(InputError, match="epsilon"):
        Exponential(points, epsilon)
