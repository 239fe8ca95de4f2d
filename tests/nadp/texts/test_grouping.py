"""Texts through groups: one output for all words of a group, and nothing that noise would leave to be averaged away."""

from dataclasses import replace

import numpy as np
import pytest

from nadp import Embeddings, InputError, TextEncoder, nearest_neighbours
from nadp.calibration import mu_of, noise_multiplier
from nadp.groups import Bounds, Exponential, Sensitive, best_success, partition, zipf_prior
from nadp.texts import Decoder, GroupMechanism, TextBudget, group_encoder, token_recovery
from nadp.texts.files.certificate import certificate_of
from nadp.texts.files.encoding import EncodingTerms

TEXTS = ["w0 w1 w2 w3", "", "w7 nonsense W8 w7", " ".join(f"w{i}" for i in range(60))]


@pytest.fixture(scope="module")
def made(clustered):
    some = clustered.subset(range(120))
    return partition(some, nearest_neighbours(some.points.vectors), zipf_prior(120), Bounds(3, 0.4))


@pytest.fixture(scope="module")
def encoder(clustered, made):
    return group_encoder(clustered, made)


@pytest.fixture(scope="module")
def noisy(clustered, made):
    return group_encoder(clustered, made, between=GroupMechanism("gaussian", 1.0, 1e-5))


def test_every_token_is_the_centroid_of_its_group_whenever_it_comes(encoder, made):
    first, second = encoder.encode(TEXTS), encoder.encode(TEXTS)
    assert np.array_equal(first.vectors, second.vectors)
    assert first.lengths.tolist() == [4, 0, 3, 60]
    assert first.unknown.tolist() == [0, 0, 1, 0]
    rows = [0, 1, 2, 3, 7, 8, 7, *range(60)]
    expected = made.centroids[made.labels[rows]]
    assert np.abs(first.vectors - expected).max() <= encoder.noise.grid / 2
    for i, a in enumerate(rows):
        for j, b in enumerate(rows):
            same = made.labels[a] == made.labels[b]
            assert np.array_equal(first.vectors[i], first.vectors[j]) == same


def test_numbers_lie_on_a_grid_that_means_of_texts_are_rounded_to(encoder):
    found = encoder.encode(TEXTS)
    for numbers in (found.vectors, found.centroids()):
        assert np.array_equal(numbers, np.rint(numbers / encoder.noise.grid) * encoder.noise.grid)
    halves = np.rint(found.vectors / (2 * encoder.noise.grid)) * 2 * encoder.noise.grid
    assert not np.array_equal(found.vectors, halves)  # it is the coarsest such grid


def test_words_are_members_of_the_group_the_most_frequent_or_one_at_random(encoder, made):
    encoded = encoder.encode(TEXTS)
    rows = np.array([0, 1, 2, 3, 7, 8, 7, *range(60)])
    likely = Decoder(encoder, "likely").rows(encoded)
    weights = made.prior.weights
    for row, taken in zip(rows, likely, strict=True):
        members = np.flatnonzero(made.labels == made.labels[row])
        assert taken == members[weights[members].argmax()]
    seen = np.array([Decoder(encoder, "random").rows(encoded) for _ in range(200)])
    assert np.array_equal(made.labels[seen], np.tile(made.labels[rows], (200, 1)))
    members = np.flatnonzero(made.labels == made.labels[0])
    share = np.array([(seen[:, 0] == member).mean() for member in members])
    assert share == pytest.approx(weights[members] / weights[members].sum(), abs=0.15)  # five standard errors


def test_means_are_those_of_the_posterior(encoder, made, clustered):
    encoded = encoder.encode(["w5 w80"])
    means = Decoder(encoder, "mean").vectors(encoded).vectors
    for row, mean in zip((5, 80), means, strict=True):
        members = np.flatnonzero(made.labels == made.labels[row])
        own = np.average(clustered.vectors[members], axis=0, weights=made.prior.weights[members])
        assert mean == pytest.approx(own, rel=1e-4, abs=1e-5)


@pytest.mark.parametrize("repeats", [1, 25])
def test_attackers_find_what_the_partition_says_however_often_a_token_is_encoded(encoder, made, repeats):
    tokens = np.repeat(np.arange(120), np.rint(1000 * made.prior.shares).astype(int))
    found = {one.attack: one.recovered for one in token_recovery(encoder, tokens, repeats, made.prior.weights)}
    exact = best_success(made.labels, np.bincount(tokens, minlength=120).astype(float) + 1e-9)
    assert found["most likely word, frequencies known"] == pytest.approx(exact, abs=0.01)
    assert encoder.guarantee.success == made.success
    assert encoder.guarantee.posterior == made.largest_share


def test_an_encoder_comes_back_as_it_was_saved(encoder, noisy, tmp_path, clustered, made):
    drawn = group_encoder(clustered, made, between=GroupMechanism("exponential", 2.0))
    for number, one in enumerate((encoder, drawn, noisy)):
        path = tmp_path / f"{number}.safetensors"
        one.save(path)
        again = TextEncoder.load(path)
        assert again.fingerprint == one.fingerprint
        assert (again.guarantee, again.noise.between) == (one.guarantee, one.noise.between)
        assert again.record["partition"] == made.fingerprint
    assert np.array_equal(
        TextEncoder.load(tmp_path / "0.safetensors").encode(TEXTS).vectors, encoder.encode(TEXTS).vectors
    )


def test_a_mechanism_between_groups_draws_other_groups_and_lowers_what_attackers_find(clustered, made):
    drawn = group_encoder(clustered, made, between=GroupMechanism("exponential", 1.0))
    tokens = " ".join(["w0"] * 2000)
    vectors = drawn.encode([tokens]).vectors
    chances = Exponential(drawn.noise.centroids, 1.0).chances(np.array([made.labels[0]]))[0]
    for group in np.argsort(-chances)[:3]:
        share = (vectors == drawn.noise.centroids[group]).all(axis=1).mean()
        assert share == pytest.approx(chances[group], abs=5 * np.sqrt(chances[group] / 2000))
    assert drawn.guarantee.success < made.success
    assert drawn.guarantee.posterior < made.largest_share
    assert drawn.guarantee.epsilon == 1.0
    means, likely = (Decoder(drawn, how) for how in ("mean", "likely"))
    encoded = drawn.encode(["w0 w9"])
    assert means.vectors(encoded).vectors.shape == (2, 12)
    assert len(likely.words(encoded)[0]) == 2


def test_gaussian_noise_on_centroids_has_the_scale_that_hides_a_distance_of_one(noisy, made):
    sigma = noise_multiplier(1.0, 1e-5)
    vectors = noisy.encode([" ".join(["w0"] * 5000)]).vectors
    left = (vectors - noisy.noise.centroids[made.labels[0]]) / sigma
    assert np.abs(left.mean(axis=0)).max() < 5 / np.sqrt(5000)
    assert left.std() == pytest.approx(1, abs=5 / np.sqrt(2 * left.size))
    assert np.array_equal(vectors, np.rint(vectors / noisy.noise.grid) * noisy.noise.grid)
    assert (noisy.guarantee.epsilon, noisy.guarantee.delta) == (1.0, 1e-5)
    assert noisy.guarantee.mu == pytest.approx(mu_of(sigma), rel=1e-3)
    assert noisy.guarantee.of_tokens(4)[0] > 2 * noisy.guarantee.epsilon  # mu doubles


def test_default_delta_is_that_of_other_noise(clustered, made):
    settled = group_encoder(clustered, made, between=GroupMechanism("gaussian", 1.0))
    assert settled.guarantee.delta == 1e-6
    assert settled.noise.between == GroupMechanism("gaussian", 1.0, 1e-6)


def test_noisy_centroids_are_decoded_by_bayes_rule_and_never_say_more_than_the_group(noisy, made, clustered):
    encoded = noisy.encode([" ".join(f"w{i % 120}" for i in range(600))])
    sigma, weights = noise_multiplier(1.0, 1e-5), made.prior.weights
    squared = ((encoded.vectors[:, None, :].astype(float) - noisy.noise.centroids[None]) ** 2).sum(axis=2)
    likely = np.exp(-(squared - squared.min(axis=1, keepdims=True)) / (2 * sigma**2))[:, made.labels] * weights
    posterior = likely / likely.sum(axis=1, keepdims=True)
    assert posterior.max() <= noisy.guarantee.posterior + 1e-9
    means = Decoder(noisy, "mean").vectors(encoded).vectors
    assert means == pytest.approx(posterior @ clustered.vectors[:120].astype(float), rel=1e-3, abs=1e-4)
    taken = Decoder(noisy, "likely").rows(encoded)
    best = posterior.max(axis=1)
    assert posterior[np.arange(600), taken] == pytest.approx(best, rel=1e-3)
    near = Decoder(noisy, "random").rows(encoded)
    assert np.array_equal(made.labels[near], squared.argmin(axis=1))


@pytest.mark.parametrize("repeats", [1, 4, 400])
def test_noise_on_centroids_is_worth_what_a_naive_attacker_finds_and_averaging_leaves_the_group(noisy, made, repeats):
    weights, rng = made.prior.weights, np.random.default_rng(0)
    tokens = np.repeat(np.arange(120), np.rint(1000 * made.prior.shares).astype(int) + 1)
    found = {one.attack: one.recovered for one in token_recovery(noisy, tokens, repeats, weights)}
    recovered, exact = (
        found["most likely word, frequencies known"],
        best_success(made.labels, np.bincount(tokens) + 0.0),
    )
    assert recovered <= exact + 1e-9  # all words of a group are equally likely, so the attacker names its most frequent
    sigma, centroids = noise_multiplier(1.0, 1e-5) / np.sqrt(repeats), noisy.noise.centroids.astype(float)
    several = np.tile(tokens, 10)
    outputs = centroids[made.labels[several]] + sigma * rng.normal(size=(len(several), centroids.shape[1]))
    squared = (outputs**2).sum(axis=1)[:, None] + (centroids**2).sum(axis=1) - 2 * outputs @ centroids.T
    guessed = (np.log(weights) - squared[:, made.labels] / (2 * sigma**2)).argmax(axis=1)
    naive = (guessed == several).mean()
    assert recovered == pytest.approx(naive, abs=5 * np.sqrt(0.25 / len(tokens) * 1.1))
    if repeats == 400:
        assert recovered == pytest.approx(exact, abs=0.01)


@pytest.mark.parametrize("name", ["exponential", "gaussian"])
def test_the_certificate_of_a_mechanism_between_groups_states_what_repetition_costs(clustered, made, name):
    encoder = group_encoder(clustered, made, between=GroupMechanism(name, 1.0))
    certificate = certificate_of(encoder, EncodingTerms())
    assert certificate.of_tokens[1][0] == 1.0
    assert certificate.of_tokens[5] == encoder.guarantee.of_tokens(5)
    assert bool(certificate.assumed) == (name == "gaussian")
    assert certificate.not_covered != certificate_of(group_encoder(clustered, made), EncodingTerms()).not_covered


def test_the_certificate_tells_groups_sensitive_words_and_what_is_not_hidden(clustered, made):
    topics = np.arange(120) // 10
    encoder = group_encoder(clustered, made, sensitive=Sensitive(np.array([3, 50]), topics))
    certificate = certificate_of(encoder, EncodingTerms())
    assert certificate.groups["partition"] == made.fingerprint
    for word, row in (("w3", 3), ("w50", 50)):
        own = made.labels == made.labels[row]
        weights = made.prior.weights
        share = weights[own & (topics == topics[row])].sum() / weights[own].sum()
        assert certificate.groups["topic_revealed"][word] == pytest.approx(share)
        assert f"| {word} | {share:.1%} |" in certificate.to_markdown()
    assert not certificate.of_tokens
    assert "not differential privacy" in certificate.to_json()


def test_what_groups_cannot_do_is_refused(encoder, made, clustered):
    with pytest.raises(InputError, match="budget"):
        encoder.encode(["w0"], budget=TextBudget(5))
    with pytest.raises(InputError, match="lacks 'w119'"):
        group_encoder(clustered.subset(range(119)), made)
    for epsilon in (-1.0, 0.0, np.inf, np.nan):
        with pytest.raises(InputError, match="epsilon"):
            GroupMechanism("exponential", epsilon)
    with pytest.raises(InputError, match="delta"):
        GroupMechanism("exponential", 1.0, 1e-6)
    with pytest.raises(InputError, match="delta"):
        group_encoder(clustered, made, between=GroupMechanism("gaussian", 1.0, 2.0))
    with pytest.raises(InputError, match="unknown"):
        group_encoder(clustered, made, unknown="keep")


def test_a_random_member_is_refused_for_noise(sample_space):
    from nadp import EmbeddingSpace

    space = EmbeddingSpace.build(sample_space.embeddings.subset(range(300)))
    with pytest.raises(InputError, match="random"):
        Decoder(TextEncoder.build(space, epsilon=5), "random")


def test_words_that_share_a_vector_are_found_together(tied):
    made = partition(tied, nearest_neighbours(tied.points.vectors, 5), zipf_prior(len(tied)), Bounds(4))
    encoder = group_encoder(Embeddings(tied.words, tied.vectors), made)
    encoded = encoder.encode([" ".join(tied.words.tolist())])
    assert np.array_equal(made.labels[Decoder(encoder, "likely").rows(encoded)], made.labels)


@pytest.mark.parametrize("power", [-90, -30, 30, 90])
def test_groups_of_very_short_and_very_long_vectors_are_told_apart_as_others(clustered, made, encoder, power):
    """In float32, the squares of such numbers are 0 or infinite."""
    scaled = replace(made, centroids=np.ldexp(made.centroids, power))
    found = group_encoder(clustered, scaled).noise
    assert (found.centroids == np.ldexp(encoder.noise.centroids, power)).all()
    assert found.grid == encoder.noise.grid * 2.0**power


def test_a_mechanism_between_groups_that_does_not_exist_is_refused():
    with pytest.raises(InputError, match="exponential, gaussian, not 'laplace'"):
        GroupMechanism("laplace", 1.0)


@pytest.mark.parametrize("group", [0, -1])
def test_an_embedding_in_which_a_group_has_no_vectors_of_its_own_is_refused(clustered, made, group):
    rows, others = (np.flatnonzero((made.labels == made.labels[group]) == own) for own in (True, False))
    vectors = clustered.vectors[:120].copy()
    vectors[rows] = vectors[others[: len(rows)]]
    if group == 0:  # the first word of a vector stands for it
        order = np.concatenate([others, rows])
        made = replace(made, words=made.words[order], labels=made.labels[order])
    with pytest.raises(InputError, match="share their vectors"):
        group_encoder(Embeddings(clustered.words[:120], vectors), made)
