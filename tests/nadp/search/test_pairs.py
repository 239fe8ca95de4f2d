import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nadp.search.kernels import keep_smallest_both_ways
from nadp.search.pairs import nearest_candidates, rounds


@given(st.integers(0, 25))
def test_everyone_meets_everyone_once_and_nobody_twice_in_a_round(players):
    every = list(rounds(players))
    assert sorted(pair for one in every for pair in one) == [(i, j) for i in range(players) for j in range(i, players)]
    for one in every[1:]:
        seen = [player for pair in one for player in pair]
        assert len(set(seen)) == len(seen)


def scores(points, half):
    """Of every point y for every point x, infinite for itself."""
    found = half - points @ points.T
    np.fill_diagonal(found, np.inf)
    return found


@given(st.integers(0, 99), st.integers(1, 12), st.integers(1, 90), st.integers(1, 150))
def test_a_product_serves_its_rows_and_its_columns(seed, k, rows, columns):
    rng = np.random.default_rng(seed)
    n = 3 + rows + 2 + columns + 1  # points before, between and behind stay as they are
    points, half = rng.integers(-3, 4, (n, 4)).astype(np.float32), rng.integers(0, 9, n).astype(np.float32)
    x, y = slice(3, 3 + rows), slice(5 + rows, 5 + rows + columns)
    found, best = np.full((n, k), -1, np.int32), np.full((n, k), np.inf, np.float32)
    limits = best[:, -1].copy()
    for cut in (slice(x.start, x.start + rows // 2), slice(x.start + rows // 2, x.stop)):
        keep_smallest_both_ways(points[cut] @ points[y].T, half, cut.start, y.start, found, best, limits)
    met = np.zeros((n, n), dtype=bool)
    met[x, y] = met[y, x] = True
    all_scores = np.where(met, scores(points, half), np.inf)
    assert np.array_equal(best, np.pad(np.sort(all_scores, axis=1), ((0, 0), (0, k)), constant_values=np.inf)[:, :k])
    assert np.array_equal(limits, best[:, -1])
    for i in range(n):
        some = found[i][found[i] >= 0]
        assert len(set(some.tolist())) == len(some) == np.isfinite(best[i]).sum()
        assert np.array_equal(all_scores[i, some], best[i, : len(some)])


@pytest.mark.parametrize("size", [1, 100, 256, 257, 700, 3001])
def test_no_point_that_is_left_out_has_a_smaller_score_than_a_candidate(size):
    points = np.random.default_rng(size).integers(-9, 10, size=(size, 3)).astype(np.float32)  # products are exact
    half = ((points**2).sum(axis=1) / 2).astype(np.float32)
    count = min(7, size - 1)
    found, best = nearest_candidates(points, half, count)
    assert found.shape == best.shape == (size, count)
    all_scores = scores(points, half)
    assert np.array_equal(best, np.sort(all_scores, axis=1)[:, :count])
    assert np.array_equal(np.take_along_axis(all_scores, found.astype(np.int64), axis=1), best)
    assert all(len(set(row)) == count for row in found.tolist())
