import numpy as np
import pytest

from nadp import Embeddings, InputError
from nadp.known_words import KnownWords
from nadp.utility.neighbours import NeighbourQueries, NeighboursKept
from tests import reference


@pytest.fixture(scope="module")
def table():
    return Embeddings([f"d{i}" for i in range(60)], np.random.default_rng(5).normal(size=(60, 4)))


def score(table, vectors, queries, released=None):
    known = KnownWords(table, released)
    evaluation = NeighboursKept([queries], known)
    (found,) = evaluation.scores(evaluation.features(vectors[evaluation.rows]))
    return found


def nearest(vectors, row, count):
    distances = [reference.distance(vectors[row].tolist(), other.tolist()) for other in vectors]
    return [i for _, i in sorted(zip(distances, range(len(vectors)), strict=True)) if i != row][:count]


def kept_by_hand(table, noisy, rows, count):
    pairs = [(nearest(table.vectors.astype(float), r, count), nearest(noisy.astype(float), r, count)) for r in rows]
    return np.mean([len(set(a) & set(b)) / count for a, b in pairs])


def test_all_neighbours_are_kept_without_noise_and_as_many_as_by_chance_in_another_table(table):
    queries = NeighbourQueries("kept", count=5)
    assert score(table, table.vectors, queries).value == 1
    other = np.random.default_rng(6).normal(size=(60, 4)).astype(np.float32)
    assert score(table, other, queries).value == pytest.approx(5 / 59, abs=0.06)


def test_the_share_is_that_of_the_loops(table):
    noisy = table.vectors + np.float32(0.4) * np.random.default_rng(7).normal(size=(60, 4)).astype(np.float32)
    found = score(table, noisy, NeighbourQueries("kept", ("d3", "d50", "nobody", "d7"), count=6))
    assert found.value == pytest.approx(kept_by_hand(table, noisy, [3, 50, 7], 6))
    assert (found.items, found.coverage, len(found.resampled)) == (3, 3 / 4, 500)
    every = score(table, noisy, NeighbourQueries("kept", sample=60, count=6))
    assert every.value == pytest.approx(kept_by_hand(table, noisy, range(60), 6))


def test_a_neighbour_that_is_not_released_is_lost(table):
    released = np.ones(60, dtype=bool)
    gone = nearest(table.vectors.astype(float), 3, 6)[:2]
    released[gone] = False
    found = score(table, table.vectors, NeighbourQueries("kept", ("d3", f"d{gone[0]}"), count=6), released)
    assert (found.value, found.items, found.coverage) == (pytest.approx(4 / 6), 1, 1 / 2)


def test_a_sample_is_the_same_each_time_and_no_larger_than_asked(table):
    noisy = table.vectors[::-1].copy()
    first, second = (score(table, noisy, NeighbourQueries("kept", sample=20, count=3)) for _ in range(2))
    assert first == second
    assert first.items == 20


@pytest.mark.parametrize("queries", [NeighbourQueries("kept", ("x", "y")), NeighbourQueries("kept", count=60)])
def test_what_cannot_be_scored_is_refused_by_name(table, queries):
    with pytest.raises(InputError, match="kept"):
        score(table, table.vectors, queries)
