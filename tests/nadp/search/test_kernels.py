from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import softmax

from nadp.search.kernels import (
    keep_smallest,
    keep_smallest_shifted,
    nearest_by_distance,
    posterior_weights,
    squared_distances,
    squared_distances_to_all,
)
from nadp.search.tiles import nothing_yet
from tests import reference

few_scores = st.sampled_from([0.0, 1.0, -1.0, 2.5, np.inf])


def padded(columns, k):
    return [*columns, *[-1] * (k - len(columns))]


def in_tiles(width, cuts):
    """Slices that make up so many columns, cut at some places."""
    places = sorted({0, width, *(cut % width for cut in cuts)})
    return [slice(start, stop) for start, stop in pairwise(places)]


cuts = st.lists(st.integers(0, 500), max_size=4)


@given(st.lists(few_scores | st.floats(-9, 9, width=32), min_size=1, max_size=200), st.integers(1, 12), cuts, st.data())
def test_the_smallest_finite_scores_are_found_ties_by_column(scores, k, cuts, data):
    skip = data.draw(st.integers(-1, len(scores) - 1))
    found, best = nothing_yet(1, k)
    for tile in in_tiles(len(scores), cuts):
        keep_smallest(np.array([scores[tile]], dtype=np.float32), tile.start, np.array([skip]), found, best)
    expected = [j for j in reference.smallest(scores, k, skip) if scores[j] < np.inf]
    assert found[0].tolist() == padded(expected, k)
    assert best[0].tolist() == [*(np.float32(scores[j]) for j in expected), *[np.inf] * (k - len(expected))]


@given(st.integers(0, 99), st.sampled_from([1, 5, 300]), cuts)
def test_the_smallest_shifted_scores_are_found_ties_by_column(seed, k, cuts):
    rng = np.random.default_rng(seed)
    base, shift, scale = (rng.integers(-4, 5, size=size).astype(np.float32) for size in ((3, 200), (3, 200), (4, 3)))
    found, best = nothing_yet(4, 3, k)
    for tile in in_tiles(200, cuts):
        keep_smallest_shifted(base[:, tile], shift[:, tile], scale, tile.start, found, best)
    for s, row in np.ndindex(4, 3):
        scores = base[row] - scale[s, row] * shift[row]
        expected = reference.smallest(scores.tolist(), k)
        assert found[s, row].tolist() == padded(expected, k)
        assert best[s, row, : len(expected)].tolist() == [scores[j] for j in expected]


def test_squared_distances_are_those_of_the_loop_and_no_candidate_is_infinitely_far(clustered):
    x = clustered.vectors
    candidates, out = np.array([[3, -1, 0], [0, 239, 1]]), np.empty((2, 3))
    squared_distances(x[:2], x, candidates, out)
    for i, j in np.ndindex(out.shape):
        expected = np.inf if candidates[i, j] < 0 else reference.squared_distance(x[i], x[candidates[i, j]])
        assert out[i, j] == pytest.approx(expected, rel=1e-15)
    to_all = np.empty(len(x))
    squared_distances_to_all(x[5], x, to_all)
    assert to_all == pytest.approx([reference.squared_distance(x[5], y) for y in x], rel=1e-15)


@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_the_nearest_candidates_are_those_of_a_sort_by_distance_then_number(embeddings, kind):
    rng = np.random.default_rng(0)
    x = embeddings.vectors
    candidates = np.array([rng.permutation(len(x))[:12] for _ in x]).astype(kind)
    candidates[rng.random(candidates.shape) < 0.1] = -1
    for k in (0, 1, 5, 12):
        nearest, squared = np.empty((len(x), k), dtype=kind), np.empty((len(x), k))
        nearest_by_distance(x, x, candidates, nearest, squared)
        for i, row in enumerate(candidates.tolist()):
            expected = sorted((np.inf if j < 0 else reference.squared_distance(x[i], x[j]), j) for j in row)[:k]
            assert nearest[i].tolist() == [j for _, j in expected]
            assert squared[i] == pytest.approx([distance for distance, _ in expected], rel=1e-15)


@pytest.mark.parametrize("spread", [1e-3, 1.0, 30.0])
def test_posterior_weights_are_the_softmax_of_log_likelihoods(clustered, spread):
    rng = np.random.default_rng(0)
    x = clustered.vectors.astype(np.float64)
    y = x[:20] + spread * rng.normal(size=(20, x.shape[1]))
    weight, offset = rng.uniform(0.1, 2, len(x)) / spread**2, rng.normal(size=len(x))
    found = y @ x.T
    posterior_weights(found, (y**2).sum(axis=1), (x**2).sum(axis=1), weight, offset)
    squared = [[reference.squared_distance(one, other) for other in x] for one in y]
    assert found == pytest.approx(softmax(-np.array(squared) * weight + offset, axis=1), rel=1e-6, abs=1e-12)
