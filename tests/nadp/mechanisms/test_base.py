"""What holds for every mechanism."""

import numpy as np
import pytest
from scipy import stats

from nadp import MECHANISMS, EmbeddingSpace, InputError, privacy_profile
from nadp.mechanisms import Additive, Mahalanobis, named, perturbed
from nadp.noise.mahalanobis import mahalanobis_root

DELTA = 1e-4
POLICIES = ["nearest", "global", "drop", "exact"]
UNLIKELY = 1e-6  # a smaller p-value is an error, not chance: seeds are fixed

ADDITIVE = [name for name, made in MECHANISMS.items() if issubclass(made, Additive)]


@pytest.fixture(params=ADDITIVE)
def mechanism(request):
    return MECHANISMS[request.param]()


def draws(space, mechanism, epsilon, seed=0):
    """The noise that perturb adds to the words it releases."""
    return mechanism.perturb(space, epsilon, DELTA, np.random.default_rng(seed)).vectors - space.vectors[space.released]


def test_the_noise_of_each_mechanism_has_its_distribution_and_scale(sample_space, mechanism):
    scale = mechanism.noise_scale(sample_space, 2.0, DELTA)
    noisy = scale > 0
    unscaled = draws(sample_space, mechanism, 2.0)[noisy].astype(float) / scale[noisy, None]
    if mechanism.noise.name == "mahalanobis":
        root = mahalanobis_root(sample_space.embeddings.covariance, 1.0)
        values, law = np.linalg.norm(unscaled @ np.linalg.inv(root), axis=1), stats.gamma(unscaled.shape[1])
    else:
        values, law = unscaled.ravel(), {"gaussian": stats.norm, "laplace": stats.laplace}[mechanism.noise.name]()
    assert len(values) >= 2000
    assert stats.kstest(values, law.cdf).pvalue > UNLIKELY
    assert stats.kstest(1.1 * values, law.cdf).pvalue < UNLIKELY


def test_one_draw_serves_all_epsilons(sample_space, mechanism):
    one, five = (draws(sample_space, mechanism, epsilon) for epsilon in (1.0, 5.0))
    ratio = mechanism.multiplier(1.0, DELTA) / mechanism.multiplier(5.0, DELTA)
    assert ratio > 2
    np.testing.assert_allclose(one, ratio * five, rtol=1e-3, atol=3e-5 * np.abs(one).max())


def test_another_seed_gives_another_draw_and_the_same_seed_the_same(sample_space, mechanism):
    one, same, other = (draws(sample_space, mechanism, 1.0, seed) for seed in (1, 1, 2))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)


@pytest.mark.parametrize("isolated", POLICIES)
def test_two_words_that_a_guarantee_protects_share_one_scale_and_it_is_large_enough(clustered, mechanism, isolated):
    space = EmbeddingSpace.build(clustered, tau=0.3, isolated=isolated)
    one, other = space.neighbourhoods.graph.edges.T  # every word is a point of its own here
    assert len(one) > 100
    for epsilon in (0.5, 1.0, 5.0):
        scale = mechanism.noise_scale(space, epsilon, DELTA)
        guarantee = mechanism.guarantee(space, epsilon, DELTA)
        difference = space.vectors[one].astype(float) - space.vectors[other]
        if guarantee.kind == "(epsilon, delta)-DP":
            assert np.array_equal(scale[one], scale[other])
            least = (scale[one] / np.linalg.norm(difference, axis=1)).min()
            assert privacy_profile(epsilon, least) == pytest.approx(guarantee.reached, rel=1e-9)
        elif guarantee.kind == "epsilon-DP":
            assert np.array_equal(scale[one], scale[other])
            reached = (np.abs(difference).sum(axis=1) / scale[one]).max()
            assert reached == pytest.approx(guarantee.epsilon)
        else:
            assert guarantee.reached is None


def test_only_mechanisms_that_are_private_claim_to_be(clustered):
    space = EmbeddingSpace.build(clustered)
    settings = {"groups": 4, "groups-by-share": 0.5}
    kinds = {name: one().guarantee(space, settings.get(name, 1.0), DELTA).kind for name, one in MECHANISMS.items()}
    assert kinds == {
        "nadp": "(epsilon, delta)-DP",
        "gaussian": "(epsilon, delta)-DP",
        "gaussian-classical": "(epsilon, delta)-DP",
        "laplacian": "epsilon-DP",
        "laplacian-reference": "no guarantee",
        "mahalanobis": "metric DP",
        "jaccard": "no guarantee",
        "jaccard-reference": "(epsilon, delta)-DP",
        "groups": "groups",
        "groups-by-share": "groups",
    }


@pytest.mark.parametrize("name", ["laplacian", "laplacian-reference", "mahalanobis", "gaussian-classical", "jaccard"])
def test_epsilon_zero_is_refused_where_it_is_divided_by(clustered, name):
    space = EmbeddingSpace.build(clustered)
    with pytest.raises(InputError, match="epsilon"):
        MECHANISMS[name]().perturb(space, 0.0, DELTA, np.random.default_rng(0))


@pytest.mark.parametrize("name", ["nadp", "gaussian", "jaccard-reference"])
def test_epsilon_zero_is_reached_where_noise_can_reach_it(clustered, name):
    space = EmbeddingSpace.build(clustered)
    assert 0 < MECHANISMS[name]().guarantee(space, 0.0, DELTA).reached <= DELTA
    assert (MECHANISMS[name]().noise_scale(space, 0.0, DELTA) > 0).all()


@pytest.mark.parametrize("epsilon", [-1.0, float("nan"), float("inf")])
def test_an_epsilon_out_of_range_is_refused(clustered, mechanism, epsilon):
    space = EmbeddingSpace.build(clustered)
    for refuse in (mechanism.noise_scale, mechanism.guarantee):
        if refuse == mechanism.guarantee and mechanism.name == "jaccard":
            continue  # has no guarantee at any epsilon
        with pytest.raises(InputError, match="epsilon"):
            refuse(space, epsilon, DELTA)


@pytest.mark.parametrize("isolated", ["global", "drop", "exact"])
def test_a_graph_without_edges_is_refused_by_those_that_need_one(clustered, mechanism, isolated):
    space = EmbeddingSpace.build(clustered, tau=1, isolated=isolated)
    if mechanism.uses_graph:
        with pytest.raises(InputError, match="no edge at tau=1"):
            mechanism.noise_scale(space, 1.0, DELTA)
    else:
        assert (mechanism.noise_scale(space, 1.0, DELTA) > 0).all()


def test_a_release_holds_only_the_released_words(clustered, mechanism):
    space = EmbeddingSpace.build(clustered, tau=0.5, isolated="drop")
    found = mechanism.perturb(space, 1.0, DELTA, np.random.default_rng(0))
    assert found.words.tolist() == clustered.words[space.released].tolist()
    assert 0 < len(found) < len(clustered)
    assert not (found.vectors == clustered.vectors[space.released]).any()


def test_noise_is_added_in_single_precision():
    x, n = np.float32([[1, 2]]), np.float32([[0.5, -1]])
    found = perturbed(x, n, np.array([4.0]))
    assert (found.dtype, found.tolist()) == (np.float32, [[3, -2]])


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_mechanism_and_its_text_are_an_inverse_pair(name):
    mechanism = MECHANISMS[name]()
    assert named(str(mechanism)) == mechanism
    assert str(mechanism) == mechanism.name


def test_parameters_travel_with_the_text():
    assert str(Mahalanobis(0.5)) == "mahalanobis(regularisation=0.5)"
    assert named("mahalanobis(regularisation=0.5)") == named("mahalanobis( regularisation = .5 )") == Mahalanobis(0.5)


@pytest.mark.parametrize(
    ("text", "offender"),
    [
        ("cauchy", "'cauchy'"),
        ("nadp(tau=1)", "'tau'"),
        ("mahalanobis(regularisation=half)", "'half'"),
        ("mahalanobis(regularisation=2)", "2.0"),
        ("mahalanobis(regularisation", "'mahalanobis"),
    ],
)
def test_a_text_that_names_no_mechanism_is_refused(text, offender):
    with pytest.raises(InputError, match=offender):
        named(text)


def test_labels_and_colours_tell_mechanisms_apart():
    for display in ("label", "colour"):
        assert len({getattr(one, display) for one in MECHANISMS.values()}) == len(MECHANISMS)
