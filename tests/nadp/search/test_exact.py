import os
from contextlib import contextmanager

import numpy as np
import pytest

from nadp import nearest_neighbours
from nadp.search.exact import exact_neighbours
from tests import reference


def near_copies():
    """Differences far below the rounding of single-precision products, many of them equal."""
    steps = np.random.default_rng(4).integers(0, 4, size=(200, 4))
    return (100 + steps * 2.0**-16).astype(np.float32)


TABLES = {
    "random": lambda: np.random.default_rng(5).normal(size=(200, 7)),
    "near copies": near_copies,
    "many identical rows": lambda: np.repeat(np.arange(12.0).reshape(4, 3), 50, axis=0),
    "one row": lambda: np.ones((1, 3)),
    "two rows": lambda: np.eye(2),
    "zeros": lambda: np.zeros((40, 2)),
    "one long row": lambda: np.vstack([np.random.default_rng(6).normal(size=(150, 3)), [[1e6, 0, 0]]]),
}


def expected(points, k):
    lists = reference.neighbour_lists(points, k)
    return lists, [[reference.distance(points[own[0]], points[j]) for j in own] for own in lists]


def check(vectors, k):
    points = np.asarray(vectors, dtype=np.float32)
    found = nearest_neighbours(points, k)
    indices, distances = expected(points, k)
    assert found.indices.tolist() == indices
    np.testing.assert_allclose(found.distances, distances, rtol=1e-14, atol=0)


@pytest.mark.parametrize("k", [1, 2, 10, 60])
@pytest.mark.parametrize("table", TABLES)
def test_exact_search_is_the_naive_loop(table, k):
    check(TABLES[table](), k)


def test_exact_search_is_the_naive_loop_on_clusters_and_ties(embeddings):
    check(embeddings.vectors, 10)


@pytest.mark.parametrize("power", [-70, -20, 20, 62])
def test_a_power_of_two_as_unit_of_length_changes_no_list(clustered, power):
    found = nearest_neighbours(np.ldexp(clustered.vectors, power))
    assert np.array_equal(found.indices, nearest_neighbours(clustered.vectors).indices)


@pytest.fixture(scope="module")
def sample_lists(sample):
    return nearest_neighbours(sample.vectors)  # several blocks


def test_a_point_is_first_in_its_own_list_at_distance_zero_and_the_rest_ascends(sample_lists):
    assert np.array_equal(sample_lists.indices[:, 0], np.arange(10_000))
    assert not sample_lists.distances[:, 0].any()
    assert (np.diff(sample_lists.distances, axis=1) >= 0).all()


def test_some_rows_have_the_lists_they_have_among_all_rows(sample, sample_lists):
    rows = np.random.default_rng(7).permutation(10_000)[:50]
    indices, distances = exact_neighbours(sample.vectors, 10, rows)
    assert np.array_equal(indices, sample_lists.indices[rows])
    assert np.array_equal(distances, sample_lists.distances[rows])
    for row in rows[:3]:
        assert indices[rows == row][0].tolist() == reference.nearest(sample.vectors[row], sample.vectors, 10)


def lattice():
    """3,000 points of a small lattice with many equal distances, 900 of them twice."""
    points = np.random.default_rng(3).integers(-4, 5, size=(2100, 6))
    return np.vstack([points, points[:900]])


@pytest.mark.parametrize("power", [0, 70])
@pytest.mark.parametrize("table", [lattice, lambda: np.tile(near_copies(), (9, 1))])
def test_all_rows_together_have_the_lists_that_each_has_alone(table, power):
    points = np.ldexp(table().astype(np.float32), power)
    together, alone = exact_neighbours(points, 10), exact_neighbours(points, 10, np.arange(len(points)))
    assert np.array_equal(together[0], alone[0])
    assert np.array_equal(together[1], alone[1])
    for row in (0, 1, 899, len(points) - 1):
        others = [j for j in reference.nearest(points[row], points, 11) if j != row]
        assert alone[0][row].tolist() == [row, *others[:9]]


@contextmanager
def one_processor():
    """Bind this process to one of its processors, where the system can do that."""
    mine = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None
    try:
        if mine:
            os.sched_setaffinity(0, {min(mine)})
        yield
    finally:
        if mine:
            os.sched_setaffinity(0, mine)


def test_one_processor_finds_what_all_find(sample, sample_lists):
    with one_processor():
        alone = nearest_neighbours(sample.vectors)
    assert np.array_equal(alone.indices, sample_lists.indices)
    assert np.array_equal(alone.distances, sample_lists.distances)
