import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nadp.kernels import smallest, smallest_shifted, squared_distances, squared_distances_to_all
from tests import reference

few_scores = st.sampled_from([0.0, 1.0, -1.0, 2.5, np.inf])


def padded(columns, k):
    return [*columns, *[-1] * (k - len(columns))]


@given(st.lists(few_scores | st.floats(-9, 9, width=32), min_size=1, max_size=200), st.integers(1, 12), st.data())
def test_the_smallest_finite_scores_are_found_ties_by_column(scores, k, data):
    skip = data.draw(st.integers(-1, len(scores) - 1))
    found, worst = np.empty((1, k), dtype=np.int64), np.empty(1, dtype=np.float32)
    smallest(np.array([scores], dtype=np.float32), np.array([skip]), found, worst)
    expected = [j for j in reference.smallest(scores, k, skip) if scores[j] < np.inf]
    assert found[0].tolist() == padded(expected, k)
    assert worst[0] == (np.float32(scores[expected[-1]]) if len(expected) == k else np.inf)


@pytest.mark.parametrize("k", [1, 5, 300])
def test_the_smallest_shifted_scores_are_found_ties_by_column(k):
    rng = np.random.default_rng(3)
    half, own, shift, scale = (
        rng.integers(-4, 5, size=size).astype(np.float32) for size in (200, (7, 200), (7, 200), 7)
    )
    found, worst = np.empty((7, k), dtype=np.int64), np.empty(7, dtype=np.float32)
    smallest_shifted(half, own, shift, scale, found, worst)
    for row in range(7):
        scores = [half[j] - own[row, j] - scale[row] * shift[row, j] for j in range(200)]
        assert found[row].tolist() == padded(reference.smallest(scores, k), k)
        assert worst[row] == (sorted(scores)[k - 1] if k <= 200 else np.inf)


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
