"""A release as claimed passes; each planted fault is found by the check that is there for it."""

import numpy as np
import pytest
from scipy import stats

from nadp import MECHANISMS, Embeddings, EmbeddingSpace
from nadp.audit.auditing import Options, audit_release
from nadp.audit.checks import low_bits_check, scale_checks
from nadp.audit.pair import Pair, paired
from nadp.audit.verdicts import components_have_the_claimed_noise, power_of_component_check
from nadp.errors import InputError
from nadp.mechanisms import additive, claimed
from nadp.noise import GaussianNoise

CLAIM = claimed("nadp", 2.0, 1e-4)
OPTIONS = Options(draws=4000)


@pytest.fixture(scope="module")
def space(sample):
    return EmbeddingSpace.build(sample.subset(range(400)), tau=0.3)


def released(space, claim=CLAIM, seed=0, factor=1.0):
    """A release on a grid, so that its low-order bits give nothing away."""
    made = additive(claim.mechanism).perturb(space, claim.epsilon, claim.delta, np.random.default_rng(seed))
    before = space.vectors[space.released]
    vectors = before + np.float32(factor) * (made.vectors - before)
    return Embeddings(made.words, np.where(vectors == before, vectors, np.round(vectors * 2**12) / 2**12))


def audit(space, release, claim=CLAIM, **more):
    return audit_release(paired(space, release, claim), np.random.default_rng(9), options=OPTIONS, **more)


def failed(found):
    return {verdict.name for verdict in found.verdicts if not verdict.passed}


@pytest.mark.parametrize("mechanism", ["nadp", "gaussian", "laplacian", "mahalanobis"])
@pytest.mark.parametrize("seed", range(3))
def test_a_release_as_claimed_passes_every_check(space, mechanism, seed):
    claim = claimed(mechanism, 2.0, 1e-4)
    found = audit(space, released(space, claim, seed), claim, another=released(space, claim, 100 + seed))
    assert failed(found) == set()
    about = {verdict.name: verdict.about for verdict in found.verdicts}
    safety = {"every word has noise", "low-order bits", "independence of two releases", "no two words share noise"}
    assert {name for name in about if about[name] == "safety"} == safety
    assert {"noise of each word", "noise of each component", "distribution of the noise"} <= about.keys()
    assert bool(found.self_test) == (MECHANISMS[mechanism].kind == "(epsilon, delta)-DP")
    assert (found.words, found.missing, found.extra) == (400, 0, 0)


@pytest.mark.parametrize("regularisation", [0.2, 0.5])
def test_regularised_noise_passes_under_its_own_regularisation_and_fails_under_another(space, regularisation):
    claim = claimed(f"mahalanobis(regularisation={regularisation})", 2.0, 1e-4)
    release = released(space, claim)
    assert failed(audit(space, release, claim)) == set()
    other = failed(audit(space, release, claimed("mahalanobis", 2.0, 1e-4)))
    assert {"noise of each word", "noise of each component", "distribution of the noise"} <= other


def test_a_release_on_a_grid_never_fails_for_its_low_order_bits(space):
    scale = MECHANISMS["nadp"]().noise_scale(space, 2.0, 1e-4)
    grid = 2.0 ** np.floor(np.log2(scale.min()) - 16)
    for seed in range(12):
        rng = np.random.default_rng(seed)
        noisy = space.vectors + scale[:, None] * rng.normal(size=space.vectors.shape)
        assert low_bits_check(Pair(space, np.arange(400), np.round(noisy / grid) * grid, CLAIM), rng, 0.002).passed


def test_a_release_that_drops_words_passes_as_claimed(sample):
    space = EmbeddingSpace.build(sample.subset(range(600)), tau=0.3, isolated="drop")
    found = audit(space, released(space))
    assert found.missing > 50
    assert failed(found) == set()


def planted(space, fault, claim=CLAIM):
    release = released(space, claim)
    vectors = release.vectors.copy()
    if fault == "a word without noise":
        vectors[7] = space.vectors[7]
    elif fault == "a word with a tenth of its noise":
        vectors[7] = space.vectors[7] + (vectors[7] - space.vectors[7]) / 10
    elif fault == "rows in another order":
        vectors = np.roll(vectors, 1, axis=0)
    elif fault == "a scale wrong by a tenth":
        vectors = released(space, claim, factor=0.9).vectors
    elif fault == "noise of another law":
        signs = np.sign(vectors - space.vectors)
        vectors = space.vectors + signs * MECHANISMS["nadp"]().noise_scale(space, 2.0, 1e-4)[:, None]
    elif fault == "naive floating point":
        made = MECHANISMS["nadp"]().perturb(space, 2.0, 1e-4, np.random.default_rng(0))
        vectors = made.vectors
    return Embeddings(release.words, vectors)


@pytest.mark.parametrize(
    ("fault", "check"),
    [
        ("a word without noise", "every word has noise"),
        ("a word without noise", "noise of each word"),
        ("a word with a tenth of its noise", "noise of each word"),
        ("rows in another order", "noise of each word"),
        ("a scale wrong by a tenth", "noise of each component"),
        ("a scale wrong by a tenth", "distribution of the noise"),
        ("noise of another law", "distribution of the noise"),
        ("naive floating point", "low-order bits"),
    ],
)
def test_a_planted_fault_is_found(space, fault, check):
    assert check in failed(audit(space, planted(space, fault)))


@pytest.mark.parametrize("mechanism", ["laplacian", "mahalanobis", "gaussian", "jaccard"])
@pytest.mark.parametrize(
    ("fault", "check"),
    [
        ("a word without noise", "noise of each word"),
        ("a word with a tenth of its noise", "noise of each word"),
        ("a scale wrong by a tenth", "noise of each component"),
        ("a scale wrong by a tenth", "distribution of the noise"),
    ],
)
def test_a_planted_fault_is_found_whatever_the_mechanism(space, mechanism, fault, check):
    claim = claimed(mechanism, 2.0, 1e-4)
    assert check in failed(audit(space, planted(space, fault, claim), claim))


def test_one_draw_in_two_releases_is_found(space):
    found = audit(space, released(space), another=released(space, factor=3.0))
    assert failed(found) == {"independence of two releases"}
    assert found.correlation.correlation > 0.99


def test_a_second_release_without_noise_does_not_pass_as_independent(space):
    found = audit(space, released(space), another=space.embeddings)
    assert failed(found) == {"independence of two releases"}


def test_a_second_release_without_the_words_or_of_other_dimensions_is_refused(space):
    release = released(space)
    others = Embeddings([f"other-{word}" for word in release.words], release.vectors)
    with pytest.raises(InputError, match="0 words in common"):
        audit(space, release, another=others)
    with pytest.raises(InputError, match="49 dimensions, this one 50"):
        audit(space, release, another=Embeddings(release.words, release.vectors[:, :49]))


def test_neighbours_with_different_scales_are_found_without_a_claim_on_their_size(space):
    one = space.neighbourhoods.graph.edges[0, 0]
    release = released(space)
    vectors = release.vectors.copy()
    vectors[one] = space.vectors[one] + 4 * (vectors[one] - space.vectors[one])
    assert "neighbours share one noise scale" in failed(audit(space, Embeddings(release.words, vectors)))


def test_the_attacks_tell_exposed_words_from_hidden_ones(sample):
    space = EmbeddingSpace.build(sample.subset(range(400)), tau=0.4, isolated="exact")
    found = audit(space, released(space), claimed("nadp", 2.0, 1e-4), prior=np.arange(400, 0, -1.0))
    attacks = {attack.name: attack for attack in found.attacks}
    alone = space.neighbourhoods.was_isolated
    assert attacks["without noise"].all.mean == pytest.approx(alone.mean())
    for name in ("nearest word, top 1", "most likely word", "most likely word, frequencies known", "without noise"):
        assert attacks[name].by_kind["isolated"].mean == 1
        assert attacks[name].by_kind["component"].mean < 0.3
        assert attacks[name].by_kind["duplicate"].words == 0
    assert attacks["rank of the true word"].by_kind["isolated"].mean == 1
    assert attacks["most likely word"].all.mean >= attacks["nearest word, top 1"].all.mean
    assert (
        attacks["nearest word, top 1"].all.mean
        <= attacks["nearest word, top 5"].all.mean
        <= attacks["nearest word, top 10"].all.mean
    )
    assert "every word has noise" in failed(found)
    assert found.hubness.distinct > alone.mean()
    assert np.isfinite(found.skewness).all()


def test_without_a_claim_only_what_needs_none_is_checked(space):
    found = audit(space, released(space), None)
    assert {verdict.name for verdict in found.verdicts} == {"every word has noise", "low-order bits"}
    assert (found.fit, found.self_test, found.correlation) == (None, {}, None)


def test_the_self_test_proves_a_mechanism_wrong_and_is_no_check_of_the_file(space):
    honest = audit(space, released(space)).self_test
    assert all(0 < bound.epsilon_from_mu <= 2.0 for bound in honest.values())
    wrong = claimed("gaussian-classical", 40.0, 1 / 73404)
    pair = paired(space, released(space, wrong), wrong)
    found = audit_release(pair, np.random.default_rng(9), options=Options(40_000))
    assert max(max(b.epsilon, b.epsilon_from_mu) for b in found.self_test.values()) > 40
    assert failed(found) == set()


def test_the_same_generator_gives_the_same_audit(space):
    one, same = (audit(space, released(space)) for _ in range(2))
    assert repr(one) == repr(same)


def half_shared(space, seed, part, flip=1.0):
    """A correct release of which half of the words have, in part, the noise of another word."""
    rng = np.random.default_rng(seed)
    scale = MECHANISMS["nadp"]().noise_scale(space, 2.0, 1e-4)
    draw = rng.normal(size=space.vectors.shape)
    words = rng.permutation(len(space))
    half = len(words) // 2
    draw[words[:half], :part] = flip * draw[words[half : 2 * half], :part]
    return Embeddings(space.embeddings.words, np.round((space.vectors + scale[:, None] * draw) * 2**12) / 2**12)


def one_draw_per_component(space, seed):
    rng = np.random.default_rng(seed)
    scale = MECHANISMS["nadp"]().noise_scale(space, 2.0, 1e-4)
    draw = rng.normal(size=(len(space.neighbourhoods.sizes), space.embeddings.dimension))[space.labels]
    return Embeddings(space.embeddings.words, np.round((space.vectors + scale[:, None] * draw) * 2**12) / 2**12)


SHARED = {
    "copied for half of the table": lambda space, seed: half_shared(space, seed, 50),
    "with its sign flipped": lambda space, seed: half_shared(space, seed, 50, -1.0),
    "half of the coordinates": lambda space, seed: half_shared(space, seed, 25),
    "one draw per component": one_draw_per_component,
}


@pytest.mark.parametrize("plant", SHARED)
def test_shared_noise_is_found_in_every_try(sample, plant):
    space = EmbeddingSpace.build(sample.subset(range(1000)), tau=0.3)
    for seed in range(10):
        pair = paired(space, SHARED[plant](space, seed), CLAIM)
        assert not {verdict.name: verdict for verdict in scale_checks(pair, 0.01 / 7)}[
            "no two words share noise"
        ].passed


def test_too_little_noise_in_one_component_is_found_as_often_as_its_power_says(sample):
    space = EmbeddingSpace.build(sample.subset(range(2000)), tau=0.1)
    scale = MECHANISMS["nadp"]().noise_scale(space, 2.0, 1e-4)
    label = int(np.bincount(space.labels).argmax())
    inside = space.labels == label
    limit = 0.01 / 7 / (len(space.neighbourhoods.sizes) + 1)
    for factor in (0.9, 0.97):
        power = power_of_component_check(25.0 * inside.sum(), 0.5, factor, limit)
        found = 0
        for seed in range(20):
            noise = np.random.default_rng(seed).normal(size=space.vectors.shape) * scale[:, None]
            noise[inside] *= factor
            sizes = GaussianNoise().sizes(noise, scale)
            found += not components_have_the_claimed_noise(sizes, space.labels, space.embeddings.words, 0.01 / 7).passed
        if power > 0.999:
            assert found == 20
        else:
            assert stats.binomtest(found, 20, power).pvalue > 1e-4
    assert power_of_component_check(25.0 * inside.sum(), 0.5, 0.9, limit) > 0.999
