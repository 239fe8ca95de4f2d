import math

import numpy as np
import pytest

from nadp import EmbeddingSpace
from nadp.attacks.likelihood import most_likely, most_likely_by_norm, most_likely_within, recovered
from tests import reference


def naive(points, scale, noisy, prior=None):
    """The most likely point of each vector; a point without noise only for its own vector, and then surely."""
    d, found = len(points[0]), []
    for y in noisy:
        scores = []
        for j, x in enumerate(points):
            squared = reference.squared_distance(x, y)
            if scale[j] == 0:
                scores.append(math.inf if squared else -math.inf)
            else:
                weight = math.log(prior[j]) if prior is not None else 0
                scores.append(d * math.log(scale[j]) + squared / (2 * scale[j] ** 2) - weight)
        best = scores.index(min(scores))
        found.append(best if scores[best] < math.inf else -1)
    return found


@pytest.mark.parametrize("spread", [0, 1, 3, 6])
@pytest.mark.parametrize("quiet", [False, True])
def test_the_most_likely_point_is_that_of_the_loop(clustered, spread, quiet):
    rng = np.random.default_rng(spread)
    points = clustered.vectors
    scale = 10 ** rng.uniform(-spread, 0.3, size=len(points))
    if quiet:
        scale[rng.random(len(points)) < 0.3] = 0
    noisy = (points + scale[:, None] * rng.normal(size=points.shape)).astype(np.float32)
    prior = rng.dirichlet(np.ones(len(points)))
    found, weighted = most_likely(points, scale, noisy, prior)
    assert found.tolist() == naive(points.tolist(), scale.tolist(), noisy.tolist())
    assert (found == np.arange(len(points)))[scale == 0].all()
    assert weighted.tolist() == naive(points.tolist(), scale.tolist(), noisy.tolist(), prior.tolist())


@pytest.mark.parametrize("size", [0.001, 0.1, 1, 10, 1e4])
@pytest.mark.parametrize("spread", [0, 1, 6])
@pytest.mark.parametrize("quiet", [False, True])
def test_a_word_is_recovered_if_the_most_likely_point_is_its_own(sample, size, spread, quiet):
    rng = np.random.default_rng(spread)
    points = np.concatenate([sample.vectors[:3000], sample.vectors[:5] + np.float32(1e-5)])
    scale = size * 10 ** rng.uniform(-spread, 0, size=len(points))
    if quiet:
        scale[rng.random(len(points)) < 0.3] = 0
    truth = rng.integers(0, len(points), 600)
    noisy = points[truth] + (scale[truth, None] * rng.normal(size=(600, points.shape[1]))).astype(np.float32)
    noisy[0] = points[7]  # perhaps the vector of another word, without noise
    found = recovered(points, scale, noisy, truth)
    assert found.tolist() == (most_likely(points, scale, noisy)[0] == truth).tolist()


def test_only_vectors_that_stay_open_are_decided_in_full(sample, monkeypatch):
    points, decided = sample.vectors[:2000], []

    def counted(points, scale, noisy):
        decided.append(len(noisy))
        return most_likely(points, scale, noisy)

    monkeypatch.setattr("nadp.attacks.likelihood.most_likely", counted)
    noisy = points + 20 * np.random.default_rng(0).normal(size=points.shape).astype(np.float32)
    found = recovered(points, np.full(len(points), 20.0), noisy, np.arange(len(points)))
    assert found.sum() <= decided[0] < 50


def test_a_vector_that_no_word_without_noise_has_comes_from_none(tied):
    points = tied.points.vectors
    noisy = np.vstack([-points[:3] * np.float32(0), points[4:6], np.full((1, 3), 0.5)]).astype(np.float32)
    zero = [j for j, x in enumerate(points.tolist()) if not any(x)]
    assert most_likely(points, np.zeros(len(points)), noisy).tolist() == [[*zero * 3, 4, 5, -1]]


def test_who_knows_the_component_finds_the_nearest_word_of_it(clustered):
    space = EmbeddingSpace.build(clustered, tau=0.4, isolated="exact")
    points, labels = space.vectors.tolist(), space.labels.tolist()
    noisy = space.vectors + np.random.default_rng(0).normal(size=space.vectors.shape).astype(np.float32)
    expected = [
        min((reference.squared_distance(x, y), j) for j, x in enumerate(points) if labels[j] == labels[i])[1] == i
        for i, y in enumerate(noisy.tolist())
    ]
    found = most_likely_within(space.vectors, space.labels, noisy, np.arange(len(points)))
    assert found.tolist() == expected
    assert found[space.neighbourhoods.was_isolated].all()
    assert 0.2 < found.mean() < 1


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("scale", [0.02, 0.3, 2.0])
def test_the_most_likely_point_by_a_norm_is_that_of_the_loop(clustered, order, scale):
    rng = np.random.default_rng(order)
    points = clustered.vectors
    noisy = points + rng.laplace(scale=scale, size=points.shape)
    prior = rng.dirichlet(np.ones(len(points)))

    def norm(x, y):
        return sum(abs(a - b) ** order for a, b in zip(x, y, strict=True)) ** (1 / order)

    def naive(weights):
        bonus = [scale * math.log(weight) for weight in weights]
        for y in noisy.tolist():
            yield min((norm(x, y) - bonus[j], j) for j, x in enumerate(points.tolist()))[1]

    assert most_likely_by_norm(points, noisy, scale, order).tolist() == list(naive([1] * len(points)))
    assert most_likely_by_norm(points, noisy, scale, order, prior).tolist() == list(naive(prior))


@pytest.mark.parametrize("order", [1, 2])
def test_near_copies_far_from_zero_are_told_apart(order):
    rng = np.random.default_rng(3)
    points = 100 + 1e-5 * rng.normal(size=(200, 20))  # float32 loses almost all of their differences
    noisy = points + rng.laplace(scale=1e-8, size=points.shape)
    assert most_likely_by_norm(points, noisy, 1e-8, order).tolist() == list(range(200))


@pytest.mark.parametrize("order", [1, 2])
def test_a_point_that_is_impossible_is_never_the_most_likely_one(clustered, order):
    points, prior = clustered.vectors, np.ones(len(clustered))
    prior[::2] = 0
    with np.errstate(divide="ignore"):
        found = most_likely_by_norm(points, points.astype(np.float64), 0.1, order, prior)
    assert (found % 2 == 1).all()
    assert np.array_equal(found[1::2], np.arange(len(points))[1::2])
