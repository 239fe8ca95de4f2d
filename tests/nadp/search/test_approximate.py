import threading

import numba
import numpy as np
import pytest

from nadp import InputError, nearest_neighbours
from nadp.search import approximate, descent, forest
from nadp.search.lists import measured_recall
from tests import reference


@pytest.fixture(scope="module")
def points():
    return np.random.default_rng(8).normal(size=(3000, 25)).astype(np.float32)


@pytest.fixture(params=["annoy", pytest.param("nndescent", marks=pytest.mark.slow)])
def search(request):
    return request.param


@pytest.mark.parametrize("wanted", [0.6, 0.95, 1.0])
def test_the_wanted_recall_is_reached(points, search, wanted):
    found = nearest_neighbours(points, search=search, recall=wanted)
    truth = nearest_neighbours(points)
    assert found.recall >= wanted
    # On the sample of 500 lists, 4,500 neighbours: six standard errors of a share are at most .045.
    assert measured_recall(found.indices, truth.indices) == pytest.approx(found.recall, abs=0.045)
    assert found.search == search
    assert f"wanted recall {wanted:g}" in found.details


@pytest.mark.slow
@pytest.mark.parametrize("threads", sorted({1, min(2, numba.config.NUMBA_NUM_THREADS)}))
def test_the_same_seed_gives_the_same_lists_on_so_many_threads_also_side_by_side(points, monkeypatch, threads):
    monkeypatch.setattr(descent, "cores", lambda: threads)
    found = {}
    work = [threading.Thread(target=lambda i=i: found.update({i: descent.neighbours(points, 15, 7)})) for i in range(3)]
    for one in work:
        one.start()
    for one in work:
        one.join()
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], found[2])


@pytest.mark.parametrize("module", [descent, forest])
def test_a_search_that_is_not_installed_says_what_to_install(points, monkeypatch, module):
    monkeypatch.setattr(module, "is_installed", lambda: False)
    name, package = ("nndescent", "pynndescent") if module is descent else ("annoy", "annoy")
    with pytest.raises(InputError, match=rf"{package} \(pip install 'nadp\[{name}\]'\)"):
        nearest_neighbours(points, search=name)


@pytest.mark.slow
def test_of_many_points_annoy_hands_its_lists_over_to_nn_descent(points, monkeypatch):
    monkeypatch.setattr(approximate, "_COMPILING_PAYS", len(points) - 1)
    found = nearest_neighbours(points, search="annoy", recall=0.95)
    assert found.recall >= 0.95
    assert "then NN-descent" in found.details
    monkeypatch.setattr(descent, "is_installed", lambda: False)
    alone = nearest_neighbours(points, search="annoy", recall=0.95)
    assert alone.recall >= 0.95
    assert "NN-descent" not in alone.details


def test_annoy_is_not_simply_exact(points):
    assert nearest_neighbours(points, search="annoy", recall=0.01).recall < 0.99


def test_the_same_seed_gives_the_same_lists_and_another_seed_others(points):
    one, same, other = (nearest_neighbours(points, search="annoy", recall=0.5, seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(one.indices, same.indices)
    assert np.array_equal(one.distances, same.distances)
    assert not np.array_equal(one.indices, other.indices)


def test_lists_begin_with_the_point_itself_ascend_and_have_exact_distances(points):
    found = nearest_neighbours(points, search="annoy", recall=0.5)
    assert np.array_equal(found.indices[:, 0], np.arange(len(points)))
    assert (np.diff(found.distances, axis=1) >= 0).all()
    assert all(len(set(row)) == 10 for row in found.indices.tolist())
    for i in (0, 1234):
        expected = [reference.distance(points[i], points[j]) for j in found.indices[i]]
        assert found.distances[i] == pytest.approx(expected, rel=1e-14)


def test_a_point_is_first_in_its_own_list_even_among_a_thousand_identical_ones():
    points = np.vstack([np.ones((1000, 5)), np.random.default_rng(9).normal(size=(50, 5))]).astype(np.float32)
    found = nearest_neighbours(points, search="annoy", recall=0.01)
    assert np.array_equal(found.indices[:, 0], np.arange(1050))
    assert all(len(set(row)) == 10 for row in found.indices.tolist())
    assert not found.distances[:1000].any()


@pytest.mark.parametrize("rows", [1, 2, 10, 11, 13])
def test_few_points_are_all_found(rows):
    points = np.random.default_rng(10).normal(size=(rows, 4)).astype(np.float32)
    found, truth = (nearest_neighbours(points, search=search, recall=1.0) for search in ("annoy", "exact"))
    assert np.array_equal(found.indices, truth.indices)
    assert np.array_equal(found.distances, truth.distances)


def test_where_the_wanted_recall_is_out_of_reach_the_search_is_exact_and_says_so():
    points = np.vstack([np.ones((5000, 5)), np.random.default_rng(9).normal(size=(50, 5))]).astype(np.float32)
    found, truth = nearest_neighbours(points, search="annoy", recall=1.0), nearest_neighbours(points)
    assert np.array_equal(found.indices, truth.indices)  # among the equal ones, the first
    assert np.array_equal(found.distances, truth.distances)
    assert (found.search, found.recall) == ("annoy", 1.0)
    assert found.details.startswith("exact")


@pytest.mark.parametrize("power", [80, -100])
def test_the_unit_of_length_plays_no_part(points, power):
    found = nearest_neighbours(np.ldexp(points, power), search="annoy", recall=0.9)  # squares are no float32
    usual = nearest_neighbours(points, search="annoy", recall=0.9)
    assert found.recall >= 0.9
    assert not found.details.startswith("exact")
    assert found.distances == pytest.approx(np.ldexp(usual.distances, power), rel=0.1)


def test_long_lists_are_found_too(points):
    found, truth = nearest_neighbours(points, 80, search="annoy", recall=0.9), nearest_neighbours(points, 80)
    assert found.indices.shape == (3000, 80)
    assert measured_recall(found.indices, truth.indices) > 0.85
    assert not found.details.startswith("exact")
