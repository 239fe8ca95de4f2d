import math

import numpy as np
import pytest

from nadp import EmbeddingSpace, noise_multiplier
from nadp.audit.distinguish import lower_bound, statistic, worst_edges

DELTA = 1e-4


def projections(mu, seed, draws=20_000):
    first, second = np.random.default_rng(seed).normal(size=(2, draws))
    return first, second + mu


@pytest.mark.parametrize("epsilon", [0.5, 1, 5, 20])
def test_a_bound_on_noise_as_claimed_stays_below_the_claim_but_near_it(epsilon):
    mu = 1 / noise_multiplier(epsilon, DELTA)
    for seed in range(10):
        found = lower_bound(*projections(mu, seed), DELTA)
        assert 0 <= found.epsilon <= epsilon
        assert 0.3 * mu < found.mu <= mu
        assert found.epsilon_from_mu <= epsilon
        assert found.draws == 20_000


def test_noise_of_half_the_size_that_is_claimed_is_proved_too_small():
    for epsilon in (1, 5):
        found = lower_bound(*projections(2 / noise_multiplier(epsilon, DELTA), 0), DELTA)
        assert found.epsilon_from_mu > epsilon


def test_two_words_with_one_distribution_prove_very_little():
    found = lower_bound(*projections(0, 3), DELTA)
    assert found.epsilon == found.mu == found.epsilon_from_mu == pytest.approx(0, abs=0.02)


def test_the_statistic_for_one_scale_is_the_projection_on_the_line_through_the_words():
    rng = np.random.default_rng(0)
    one, other, samples = rng.normal(size=5), rng.normal(size=5), rng.normal(size=(9, 5))
    found = statistic(samples, one, other, (2.0, 2.0))
    assert found == pytest.approx((samples - one) @ (other - one) / np.linalg.norm(other - one))
    assert statistic(other[None], one, other, (2.0, 2.0))[0] == pytest.approx(np.linalg.norm(other - one))


def test_the_statistic_for_two_scales_is_the_likelihood_ratio_and_sees_what_the_projection_cannot():
    rng = np.random.default_rng(0)
    one, other, samples = rng.normal(size=5), rng.normal(size=5), rng.normal(size=(9, 5))
    likelihood = [-((samples - x) ** 2).sum(axis=1) / (2 * s**2) for x, s in ((one, 1.0), (other, 2.0))]
    assert statistic(samples, one, other, (1.0, 2.0)) == pytest.approx(likelihood[1] - likelihood[0])
    x, y = np.zeros(300), np.zeros(300)
    y[0] = 1.0
    first, second = x + 10 * rng.normal(size=(2000, 300)), y + 12 * rng.normal(size=(2000, 300))
    found = lower_bound(statistic(first, x, y, (10.0, 12.0)), statistic(second, x, y, (10.0, 12.0)), DELTA)
    assert found.epsilon > 3  # noise of scale 10 and 12, each ten times the distance of the words


def test_the_worst_edge_of_each_class_of_components_is_the_one_with_the_least_noise_for_its_length(clustered):
    space = EmbeddingSpace.build(clustered, tau=0.3)
    graph, labels, sizes = space.neighbourhoods.graph, space.labels, space.neighbourhoods.sizes
    found = worst_edges(graph.edges, graph.lengths, labels, space.sensitivity, (2, 5, 9))
    assert [edge.size for edge in found] == [2, 5, 9]
    for edge, following in zip(found, (5, 9, math.inf), strict=True):
        inside = [
            (length / space.sensitivity[i], i, j)
            for (i, j), length in zip(graph.edges.tolist(), graph.lengths, strict=True)
            if edge.size <= sizes[labels[i]] < following
        ]
        assert (edge.first, edge.second) in {(i, j) for ratio, i, j in inside if ratio == max(inside)[0]}
    unequal = space.sensitivity.copy()
    i = int(graph.edges[17, 0])
    unequal[i] *= 1.001
    touched = {tuple(edge) for edge in graph.edges.tolist() if i in edge}
    assert touched & {(edge.first, edge.second) for edge in worst_edges(graph.edges, graph.lengths, labels, unequal)}


@pytest.mark.parametrize("length", [1.0, 9.0])
def test_an_edge_without_noise_is_the_worst(length):
    edges, labels = np.array([[0, 1], [2, 3]], dtype=np.int32), np.array([0, 0, 1, 1], dtype=np.int32)
    found = worst_edges(edges, np.array([5.0, length]), labels, np.array([1.0, 1.0, 0.0, 0.0]))
    assert [(edge.first, edge.second) for edge in found] == [(2, 3)]
