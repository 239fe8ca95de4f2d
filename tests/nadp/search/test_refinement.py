import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nadp.search.kernels import keep_neighbours_of_neighbours, ways_back
from nadp.search.refinement import refined
from tests import reference


def lists_of(seed, points, width):
    """Some points, and lists of others by chance: a few of them shorter than the width."""
    rng = np.random.default_rng(seed)
    lists = np.array([rng.permutation([j for j in range(points) if j != i])[:width] for i in range(points)])
    lists[rng.random(lists.shape) < 0.1] = -1
    return rng.normal(size=(points, 6)).astype(np.float32), lists.astype(np.int32)


def in_order(points, lists):
    """Lists in ascending order of distance, and the squared distances."""
    squared = np.array(
        [
            [np.inf if j < 0 else reference.squared_distance(points[i], points[j]) for j in own]
            for i, own in enumerate(lists)
        ]
    )
    order = squared.argsort(axis=1, kind="stable")
    return np.take_along_axis(lists, order, axis=1), np.take_along_axis(squared, order, axis=1).astype(np.float32)


@given(st.integers(0, 10_000), st.integers(1, 30), st.integers(1, 6), st.integers(1, 30))
def test_the_ways_back_are_those_of_the_loops(seed, points, width, most):
    _, lists = lists_of(seed, points, min(width, max(points - 1, 1)))
    fresh = np.random.default_rng(seed).random(lists.shape) < 0.5
    back, back_fresh = np.full((points, most), -1, dtype=np.int32), np.zeros((points, most), dtype=bool)
    ways_back(lists, fresh, back, back_fresh)
    for j, expected in enumerate(reference.ways_back(lists.tolist(), most)):
        assert back[j].tolist() == expected + [-1] * (most - len(expected))
        flags = [bool(fresh[row, lists[row].tolist().index(j)]) for row in expected]
        assert back_fresh[j, : len(expected)].tolist() == flags


@given(st.integers(0, 10_000), st.integers(2, 40), st.integers(1, 6))
def test_the_first_round_is_that_of_the_loops(seed, points, width):
    x, lists = lists_of(seed, points, min(width, points - 1))
    found = next(refined(x, lists, 1, lists.shape[1]))
    ordered, _ = in_order(x, lists)
    assert found.tolist() == reference.neighbours_of_neighbours(x, ordered.tolist(), lists.shape[1])


@given(st.integers(0, 10_000), st.integers(8, 40), st.integers(2, 6), st.integers(1, 39))
def test_what_is_not_looked_at_again_changes_no_later_round_and_neither_do_blocks(seed, points, width, cut):
    x, lists = lists_of(seed, points, width)
    lists, squared = in_order(x, lists)
    fresh = np.ones(lists.shape, dtype=bool)
    for _ in range(4):
        expected = reference.neighbours_of_neighbours(x, lists.tolist(), points)
        back, back_fresh = np.full((points, points), -1, dtype=np.int32), np.zeros((points, points), dtype=bool)
        ways_back(lists, fresh, back, back_fresh)
        ways, before = np.hstack([lists, back]), np.hstack([fresh, back_fresh])
        found, fresh = lists.copy(), np.empty_like(fresh)
        for block in (slice(0, min(cut, points)), slice(min(cut, points), points)):
            keep_neighbours_of_neighbours(x, block.start, ways, before, found[block], squared[block], fresh[block])
        assert found.tolist() == expected
        assert fresh.tolist() == [
            [bool(j >= 0 and j not in own) for j in new] for own, new in zip(lists.tolist(), expected, strict=True)
        ]
        lists = found


def test_rounds_find_nearly_all_neighbours_from_lists_by_chance():
    x = np.random.default_rng(1).normal(size=(2000, 6)).astype(np.float32)
    _, lists = lists_of(2, 2000, 24)
    *_, last = refined(x, lists, 9, 24)
    truth = [reference.nearest(x[i], x, 10)[1:] for i in range(0, 2000, 100)]
    share = np.mean([len(set(row) & set(last[100 * i].tolist())) / 9 for i, row in enumerate(truth)])
    assert share > 0.99
    assert (last != np.arange(2000)[:, None]).all()
    assert all(len(set(row)) == 24 for row in last.tolist())


@pytest.mark.parametrize("lists", [[[-1]], [[1], [0]], [[1, -1], [2, -1], [0, -1]]])
def test_few_points_settle(lists):
    x = np.arange(len(lists), dtype=np.float32)[:, None]
    *_, last = refined(x, np.array(lists, dtype=np.int32), 1, 4)
    assert [set(row) - {-1} for row in last.tolist()] == [set(range(len(x))) - {i} for i in range(len(x))]
