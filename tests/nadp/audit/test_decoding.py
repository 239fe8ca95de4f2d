import numpy as np
import pytest

from nadp import nearest_neighbours
from nadp.audit.decoding import nearest_to_noisy
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


def test_several_blocks_give_what_single_words_give(sample):
    points = sample.vectors
    draw = np.random.default_rng(0).normal(size=points.shape).astype(np.float32)
    scales = np.full((2, len(points)), [[0.0], [0.4]])
    found = nearest_to_noisy(points, points, draw, scales, 3)
    assert np.array_equal(found[0, :, 0], np.arange(len(points)))
    assert 0.2 < (found[1, :, 0] == np.arange(len(points))).mean() < 0.98
    for row in (0, 417, 9999):
        assert found[1, row].tolist() == naive(points, points[[row]], draw[[row]], [0.4], 3)[0]


@pytest.mark.parametrize("spread", [1e-2, 1e-3, 1e-4])
def test_a_word_without_noise_is_recovered_even_among_near_copies(spread):
    rng = np.random.default_rng(0)
    copies = 3 * rng.normal(size=50) + spread * rng.normal(size=(200, 50))
    points = np.vstack([rng.normal(size=(300, 50)), copies]).astype(np.float32)
    found = nearest_to_noisy(points, points, np.zeros_like(points), np.zeros((1, 500)), 10)[0]
    assert (found[:, 0] == np.arange(500)).mean() == 1
    assert np.array_equal(found, nearest_neighbours(points).indices)
