import numpy as np
import pytest

from nadp import nearest_neighbours
from nadp.search.decoding import nearest_points, nearest_to_noisy, true_ranks
from tests import reference


def naive(points, vectors, draw, scales, count):
    noisy = [(x.astype(float) + s * n.astype(float)).tolist() for x, n, s in zip(vectors, draw, scales, strict=True)]
    return [reference.nearest(y, points.tolist(), count) for y in noisy]


@pytest.mark.parametrize("count", [1, 10, 25])
def test_the_nearest_points_of_noisy_vectors_are_those_of_the_loop(embeddings, count):
    rng = np.random.default_rng(count)
    points, vectors = embeddings.points.vectors, embeddings.vectors[:40]
    draw = rng.normal(size=vectors.shape).astype(np.float32)
    scales = np.array([0, 0.03, 0.5, 3, 100])[:, None] * rng.uniform(0.5, 2, size=len(vectors))
    found = nearest_to_noisy(points, vectors, draw, scales, count)
    assert found.shape == (5, 40, min(count, len(points)))
    for s, scale in enumerate(scales):
        assert found[s].tolist() == naive(points, vectors, draw, scale, count)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_nearest_points_of_a_release_and_the_rank_of_the_right_one_are_those_of_the_loop(embeddings, dtype):
    points, of_word = embeddings.points.vectors, embeddings.points.of_word
    scale = np.linspace(0, 4, len(embeddings))[:, None]
    noisy = (embeddings.vectors + scale * np.random.default_rng(1).normal(size=embeddings.vectors.shape)).astype(dtype)
    lists = [reference.nearest(y, points.tolist(), len(points)) for y in noisy.tolist()]
    assert nearest_points(points, noisy, 7).tolist() == [own[:7] for own in lists]
    found = true_ranks(points, noisy, of_word)
    for y, own, word, rank in zip(noisy.tolist(), lists, of_word.tolist(), found.tolist(), strict=True):
        right = reference.squared_distance(y, points[word])
        nearer = sum(reference.squared_distance(y, points[j]) < right for j in own)
        assert rank == 1 + nearer
    assert found.max() > 20


def test_several_blocks_give_what_single_words_give(sample):
    points = sample.vectors
    draw = np.random.default_rng(0).normal(size=points.shape).astype(np.float32)
    scales = np.full((2, len(points)), [[0.0], [0.4]])
    found = nearest_to_noisy(points, points, draw, scales, 3)
    assert np.array_equal(found[0, :, 0], np.arange(len(points)))
    assert 0.2 < (found[1, :, 0] == np.arange(len(points))).mean() < 0.98
    for row in (0, 417, 9999):
        assert found[1, row].tolist() == naive(points, points[[row]], draw[[row]], [0.4], 3)[0]


def test_ties_that_single_precision_cannot_see_are_in_the_order_of_the_points():
    points = (100 + np.random.default_rng(1).integers(0, 3, size=(16, 4)) * 2.0**-12).astype(np.float32)
    found = nearest_to_noisy(points, points, np.zeros_like(points), np.zeros((1, 16)), 10)[0]
    assert found.tolist() == [reference.nearest(x, points.tolist(), 10) for x in points.tolist()]


@pytest.fixture(params=[1e-2, 1e-3, 1e-4])
def near_copies(request):
    """300 points, and 200 more that lie closer to one another than single-precision products can tell."""
    rng = np.random.default_rng(0)
    copies = 3 * rng.normal(size=50) + request.param * rng.normal(size=(200, 50))
    return np.vstack([rng.normal(size=(300, 50)), copies]).astype(np.float32)


def test_a_word_without_noise_is_recovered_even_among_near_copies(near_copies):
    found = nearest_to_noisy(near_copies, near_copies, np.zeros_like(near_copies), np.zeros((1, 500)), 10)[0]
    assert (found[:, 0] == np.arange(500)).mean() == 1
    assert np.array_equal(found, nearest_neighbours(near_copies).indices)
    assert np.array_equal(nearest_points(near_copies, near_copies), found)


def test_a_word_without_noise_has_rank_one_even_among_near_copies(near_copies):
    assert (true_ranks(near_copies, near_copies, np.arange(500)) == 1).all()
