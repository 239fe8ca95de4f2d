import math

import numpy as np
import pytest
from scipy.special import softmax

from nadp import nearest_neighbours
from nadp.attacks.disclosure import Background, content_words, disclosed, disclosed_by_groups
from nadp.attacks.topics import NO_TOPIC, clustered_topics
from nadp.groups import Bounds, counted_prior, partition, zipf_prior

COUNTS = np.random.default_rng(3).integers(1, 6, 240)


@pytest.fixture(scope="module")
def made(clustered):
    lists = nearest_neighbours(clustered.points.vectors)
    return partition(clustered, lists, counted_prior(COUNTS), Bounds(4, 0.5))


@pytest.fixture(scope="module")
def known(clustered):
    topics = clustered_topics(clustered.vectors, 8)
    topics[200:] = NO_TOPIC
    return Background(clustered.vectors, COUNTS / COUNTS.sum(), np.arange(240) >= 10, topics)


def test_the_exact_figures_of_groups_are_those_of_the_posterior_of_each_token(made, known):
    tokens = np.repeat(np.arange(240), COUNTS)  # each word as often as the prior has it
    same = made.labels[:, None] == made.labels[None, :]
    table = same * known.prior / (same * known.prior).sum(axis=1, keepdims=True)
    found, exact = disclosed(tokens, lambda block: table[tokens[block]], known), disclosed_by_groups(made.labels, known)
    for name in ("recovery", "content_recovery", "r2", "bits", "mean_rank", "one_topic"):
        assert getattr(found, name) == pytest.approx(getattr(exact, name), rel=1e-6), name
    assert (found.words, exact.words) == (len(tokens), 0)
    assert exact.recovery == pytest.approx(made.success)
    assert 0 < exact.one_topic < 1


def test_figures_of_groups_by_hand():
    labels, prior = [[0, 1], [2, 3]], [0.4, 0.1, 0.3, 0.2]
    vectors = np.array([[0.0], [1], [4], [6]], dtype=np.float32)
    known = Background(vectors, np.array(prior), np.array([False, True, True, True]), np.array([0, 0, 1, 0]))

    found = disclosed_by_groups(np.array([0, 0, 1, 1]), known)
    means = [sum(prior[w] * vectors[w, 0] for w in group) / sum(prior[w] for w in group) for group in labels]
    whole = sum(p * v for p, v in zip(prior, vectors[:, 0], strict=True))
    left = sum(prior[w] * (vectors[w, 0] - means[g]) ** 2 for g, group in enumerate(labels) for w in group)
    spread = sum(p * (v - whole) ** 2 for p, v in zip(prior, vectors[:, 0], strict=True))
    assert found.recovery == pytest.approx(0.7)
    assert found.content_recovery == pytest.approx(0.3 / 0.6)
    assert found.r2 == pytest.approx(1 - left / spread)
    assert found.bits == pytest.approx(1.0)
    assert found.mean_rank == pytest.approx(0.4 * 1 + 0.1 * 2 + 0.3 * 1 + 0.2 * 2)
    assert found.one_topic == pytest.approx(0.5)


def test_nothing_is_disclosed_by_a_release_that_does_not_depend_on_the_word(known):
    words = np.repeat(np.arange(240), COUNTS)
    found = disclosed(words, lambda block: np.tile(known.prior, (len(words[block]), 1)), known)
    assert found.bits == pytest.approx(0, abs=1e-9)
    assert found.r2 == pytest.approx(0, abs=1e-6)
    assert found.recovery == pytest.approx(known.prior.max())
    assert found.one_topic == 0


def test_everything_is_disclosed_by_the_word_itself(known):
    words = np.arange(240)
    found = disclosed(words, lambda block: np.eye(240)[block], known)
    assert (found.recovery, found.content_recovery, found.mean_rank) == (1, 1, 1)
    assert found.r2 == pytest.approx(1)
    assert found.bits == pytest.approx(-sum(p * math.log2(p) for p in known.prior))
    assert found.one_topic == pytest.approx(200 / 240)  # the others have no topic to be known


def test_more_noise_discloses_less(clustered, known):
    rng = np.random.default_rng(0)
    words = rng.choice(240, 400, p=known.prior)
    noise = rng.normal(size=(400, 12))
    found = []
    for scale in (0.05, 0.5, 2.0):
        noisy = clustered.vectors[words] + scale * noise
        squared = ((noisy[:, None] - clustered.vectors) ** 2).sum(axis=2)
        table = softmax(np.log(known.prior) - squared / (2 * scale**2), axis=1)
        found.append(disclosed(words, lambda block, table=table: table[block], known))
    for name in ("recovery", "content_recovery", "r2", "bits"):
        values = [getattr(one, name) for one in found]
        assert values == sorted(values, reverse=True), name
    assert [one.mean_rank for one in found] == sorted(one.mean_rank for one in found)


def test_words_of_equal_posterior_share_a_place(clustered):
    flat = Background(clustered.vectors, np.full(240, 1 / 240), np.zeros(240, dtype=bool))
    found = disclosed(np.arange(240), lambda block: np.full((len(range(240)[block]), 240), 1 / 240), flat)
    assert found.mean_rank == pytest.approx(241 / 2)
    assert math.isnan(found.content_recovery)
    assert math.isnan(found.one_topic)


def test_content_words_are_all_but_the_150_most_frequent():
    content = content_words(zipf_prior(np.arange(400, 0, -1)).shares)
    assert content[:250].all()
    assert not content[250:].any()
