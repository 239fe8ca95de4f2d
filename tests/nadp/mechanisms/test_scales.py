"""The formula of each mechanism's noise (section 4 of the paper and its theorems)."""

import dataclasses
import math

import numpy as np
import pytest

from nadp import MECHANISMS, Embeddings, EmbeddingSpace, InputError, noise_multiplier
from nadp.mechanisms import GaussianClassical, Mahalanobis

DELTA = 1e-4


def scale(name, space, epsilon=2.0):
    return MECHANISMS[name]().noise_scale(space, epsilon, DELTA)


@pytest.fixture(params=["nearest", "global", "exact"])
def space(request, embeddings):
    return EmbeddingSpace.build(embeddings, tau=0.4, isolated=request.param)


def test_nadp_takes_the_sensitivity_of_each_neighbourhood(space):
    np.testing.assert_allclose(scale("nadp", space), noise_multiplier(2.0, DELTA) * space.sensitivity, rtol=1e-15)


@pytest.mark.parametrize("name", ["gaussian", "jaccard-reference"])
def test_gaussian_takes_the_longest_edge_for_all(space, name):
    expected = noise_multiplier(2.0, DELTA) * space.sensitivity.max()
    assert scale(name, space) == pytest.approx(np.full(len(space), expected), rel=1e-15)


def test_the_classical_gaussian_takes_the_textbook_formula(space):
    expected = space.sensitivity.max() * math.sqrt(2 * math.log(1.25 / DELTA)) / 2.0
    assert scale("gaussian-classical", space) == pytest.approx(np.full(len(space), expected), rel=1e-15)


def test_laplacian_takes_the_longest_edge_in_l1_over_epsilon(space):
    points = space.embeddings.points.vectors.astype(float)
    longest = max(np.abs(points[i] - points[j]).sum() for i, j in space.neighbourhoods.graph.edges)
    assert scale("laplacian", space) == pytest.approx(np.full(len(space), longest / 2.0), rel=1e-15)


def test_the_laplacian_of_the_authors_has_one_constant_for_all_embeddings(space):
    assert scale("laplacian-reference", space) == pytest.approx(np.full(len(space), 151.7991981 / 2.0))


def test_mahalanobis_divides_by_epsilon_and_looks_at_no_graph(space):
    assert scale("mahalanobis", space) == pytest.approx(np.full(len(space), 0.5))


def test_nadp_gives_different_neighbourhoods_different_amounts_of_noise(clustered):
    space = EmbeddingSpace.build(clustered, tau=0.4)
    assert len(set(scale("nadp", space))) == len(set(space.labels)) > 10


def test_jaccard_gives_dense_words_more_noise_than_sparse_ones(clustered):
    space = EmbeddingSpace.build(clustered, tau=0.4)
    dense = space.density < np.median(space.density)
    assert dense.sum() == len(space) / 2
    unit = space.sensitivity.max() * math.sqrt(2 * math.log(1.25 / DELTA)) / 2.0
    assert scale("jaccard", space) == pytest.approx(np.where(dense, 1.835, 1.276) * unit, rel=1e-15)


@pytest.mark.parametrize("isolated", ["exact", "nearest"])
def test_the_exact_policy_releases_isolated_words_bit_for_bit_and_nearest_none(clustered, isolated):
    space = EmbeddingSpace.build(clustered, tau=0.5, isolated=isolated)
    found = MECHANISMS["nadp"]().perturb(space, 1.0, DELTA, np.random.default_rng(0))
    same = (found.vectors.view(np.uint32) == clustered.vectors.view(np.uint32)).all(axis=1)
    alone = space.neighbourhoods.was_isolated
    assert 0 < alone.sum() < len(alone)
    assert same.tolist() == (alone.tolist() if isolated == "exact" else [False] * len(alone))


@pytest.mark.parametrize(("epsilon", "misses"), [(0.5, False), (8.0, False), (9.0, True), (40.0, True)])
def test_the_classical_gaussian_says_where_it_misses_its_delta(clustered, epsilon, misses):
    space = EmbeddingSpace.build(clustered)
    found = GaussianClassical().guarantee(space, epsilon, 1 / 73404)
    assert (found.reached > found.delta) == misses
    kept = dataclasses.replace(found, reached=found.delta).statement
    assert (found.statement != kept) == misses


@pytest.mark.parametrize("isolated", ["nearest", "global", "drop", "exact"])
def test_nadp_says_what_its_guarantee_is_worth_to_isolated_words(clustered, isolated):
    found = MECHANISMS["nadp"]().guarantee(EmbeddingSpace.build(clustered, isolated=isolated), 1.0, DELTA)
    assert found.isolated == isolated
    assert ("isolated" in found.statement) == (isolated != "nearest")
    assert found.reached == pytest.approx(DELTA)
    assert found.reached <= DELTA


def test_mahalanobis_refuses_vectors_in_a_plane_unless_regularised():
    flat = np.random.default_rng(0).normal(size=(50, 3)) * [1, 1, 0]
    space = EmbeddingSpace.build(Embeddings([f"w{i}" for i in range(50)], flat))
    with pytest.raises(InputError, match="singular"):
        Mahalanobis().perturb(space, 1.0, DELTA, np.random.default_rng(0))
    noisy = Mahalanobis(regularisation=0.9).perturb(space, 1.0, DELTA, np.random.default_rng(0))
    assert (noisy.vectors[:, 2] != 0).all()
