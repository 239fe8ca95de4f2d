"""Decoding against naive loops in float64, and what the means of all words are best at."""

import math

import numpy as np
import pytest

from nadp import InputError
from nadp.texts import Decoder, EncodedTexts, TextBudget
from nadp.texts.model import NoiseModel
from tests.nadp.texts.planting import FAMILIES, planted, text_of

N, D = 60, 5


def scales(family):
    """Of each word; the same for all but Gaussian noise."""
    return np.geomspace(0.3, 1.5, N)[np.random.default_rng(3).permutation(N)] if family == "gaussian" else 0.6


def an_encoder(family, scale=None):
    vectors = np.random.default_rng(7).normal(size=(N, D))
    vectors[5] = vectors[2]  # one point of two words
    vectors[40] = vectors[2]
    scale = np.broadcast_to(scales(family) if scale is None else scale, N).copy()
    scale[[5, 40]] = scale[2]
    return planted(vectors, scale, family)


@pytest.fixture(scope="module", params=FAMILIES)
def encoder(request):
    return an_encoder(request.param)


@pytest.fixture(scope="module")
def encoded(encoder):
    """Texts of several lengths, some with more noise than the others."""
    rng = np.random.default_rng(1)
    texts = [text_of(encoder, rng.integers(0, N, count)) for count in (0, 3, 40, 0, 100, 3, 400, 0)]
    found = encoder.encode(texts, budget=TextBudget(encoder.guarantee.of_tokens(40)[0]))
    assert len(np.unique(found.factors)) == 3
    return found


PRIORS = {"alike": None, "skewed": np.random.default_rng(2).dirichlet(np.full(N, 0.3)), "counts": np.arange(1, N + 1)}


@pytest.fixture(params=list(PRIORS))
def prior(request):
    return PRIORS[request.param]


def naive_logarithms(encoder, y, factor, prior):
    """Log-probability of each word given one vector, up to a constant, by the plain formula."""
    noise, found = encoder.noise, []
    for x, scale in zip(encoder.embeddings.vectors.astype(np.float64), noise.scale * factor, strict=True):
        z = y - x if noise.law.name != "mahalanobis" else np.linalg.inv(noise.law.root) @ (y - x)
        if noise.law.name == "gaussian":
            logarithm = -sum(z**2) / (2 * scale**2) - D * math.log(scale)
        elif noise.law.name == "laplace":
            logarithm = -sum(abs(z)) / scale - D * math.log(scale)
        else:  # the density of Gamma(d) times a point of the sphere
            logarithm = -math.sqrt(sum(z**2)) / scale - D * math.log(scale)
        found.append(logarithm)
    if prior is not None:
        with np.errstate(divide="ignore"):
            found = np.array(found) + np.log(np.asarray(prior) / np.sum(prior))
    return np.array(found)


def per_token(encoded):
    return zip(encoded.vectors.astype(np.float64), np.repeat(encoded.factors, encoded.lengths), strict=True)


def by_point(encoder, logarithms):
    """Logarithms of the sums over the words that share a vector, at their first word."""
    first, together = {}, np.full(N, -np.inf)
    for row, vector in enumerate(encoder.embeddings.vectors.tolist()):
        at = first.setdefault(tuple(vector), row)
        together[at] = np.logaddexp(together[at], logarithms[row])
    return together


def test_the_nearest_word_is_that_of_the_loop(encoder, encoded):
    vectors = encoder.embeddings.vectors.astype(np.float64)
    expected = [int(((vectors - y) ** 2).sum(axis=1).argmin()) for y, _ in per_token(encoded)]
    found = Decoder(encoder, "nearest").rows(encoded)
    assert found.tolist() == expected
    assert not {5, 40} & set(found.tolist())  # of words with one vector, the first


def test_the_most_likely_word_is_that_of_the_loop(encoder, encoded, prior):
    """Of words with one vector the prior counts together; each has the density of all."""
    expected = []
    for y, factor in per_token(encoded):
        logarithms = naive_logarithms(encoder, y, factor, prior)
        if prior is None:  # all points alike, not all words
            logarithms[[5, 40]] = -np.inf
        expected.append(int(by_point(encoder, logarithms).argmax()))
    assert Decoder(encoder, "likely", prior).rows(encoded).tolist() == expected


def test_the_mean_is_that_of_the_loop(encoder, encoded, prior):
    found = Decoder(encoder, "mean", prior).vectors(encoded).vectors
    vectors = encoder.embeddings.vectors.astype(np.float64)
    for mean, (y, factor) in zip(found, per_token(encoded), strict=True):
        logarithms = naive_logarithms(encoder, y, factor, prior)
        if prior is None:
            logarithms[[5, 40]] = -np.inf
        weights = np.exp(logarithms - logarithms.max())
        assert mean == pytest.approx((weights / weights.sum()) @ vectors, rel=1e-5, abs=1e-6)


def test_the_log_likelihoods_differ_as_those_of_the_loop(encoder, encoded):
    points = encoder.embeddings.points
    factor = float(encoded.factors.max())
    found = NoiseModel(encoder.noise, points).log_likelihoods(encoded.vectors[:50], factor)
    for row, y in zip(found, encoded.vectors[:50].astype(np.float64), strict=True):
        expected = naive_logarithms(encoder, y, factor, None)[points.first_word]
        assert row - row[0] == pytest.approx(expected - expected[0], rel=1e-9, abs=1e-8)


def test_the_prior_and_the_factor_matter(encoder, encoded):
    """Otherwise the tests above would prove little."""
    plain, skewed = (Decoder(encoder, "likely", prior).rows(encoded) for prior in (None, PRIORS["skewed"]))
    assert (plain != skewed).mean() > 0.1
    usual = EncodedTexts(encoded.vectors, encoded.starts, np.ones(len(encoded)), encoded.unknown, encoded.cut)
    one, other = (Decoder(encoder, "mean").vectors(part).vectors for part in (encoded, usual))
    assert np.abs(one - other).max() > 0.1


def test_words_are_given_text_by_text(encoder, encoded):
    for how in ("nearest", "likely"):
        decoder = Decoder(encoder, how)
        words, rows = decoder.words(encoded), decoder.rows(encoded)
        assert [len(text) for text in words] == encoded.lengths.tolist()
        assert [word for text in words for word in text] == encoder.words[rows].tolist()
        assert all(type(word) is str for text in words for word in text)


def test_decoded_vectors_are_those_of_the_words_found(encoder, encoded):
    for how in ("nearest", "likely"):
        decoder = Decoder(encoder, how)
        found = decoder.vectors(encoded)
        assert (found.vectors == encoder.embeddings.vectors[decoder.rows(encoded)]).all()
        assert (found.starts == encoded.starts).all()
        assert (found.factors == encoded.factors).all()


@pytest.mark.parametrize("how", ["nearest", "likely"])
@pytest.mark.parametrize("family", FAMILIES)
def test_next_to_no_noise_is_decoded_to_the_words_themselves(family, how):
    encoder = an_encoder(family, 1e-5)
    first = encoder.embeddings.points.first_word[encoder.embeddings.points.of_word]
    found = encoder.encode([text_of(encoder, range(N))])
    assert Decoder(encoder, how).rows(found).tolist() == first.tolist()
    assert Decoder(encoder, "mean").vectors(found).vectors == pytest.approx(encoder.embeddings.vectors, abs=1e-3)


@pytest.mark.parametrize("family", FAMILIES)
def test_more_noise_leaves_less_to_decode(family):
    right = []
    for scale in (0.003, 0.2, 1.0):
        encoder = an_encoder(family, scale)
        truth = np.random.default_rng(0).integers(6, 40, 2000)  # words with a vector of their own
        found = encoder.encode([text_of(encoder, truth)])
        right.append((Decoder(encoder, "likely").rows(found) == truth).mean())
    assert right[0] > 0.99
    assert right == sorted(right, reverse=True)
    assert right[-1] < 0.5


def draws_from(encoder, prior, count):
    truth = np.random.default_rng(4).choice(N, size=count, p=prior)
    found = encoder.encode([text_of(encoder, truth)])
    return encoder.embeddings.vectors[truth].astype(np.float64), found


@pytest.mark.parametrize("family", FAMILIES)
def test_the_mean_has_the_least_squared_error_of_all(family):
    encoder, prior = an_encoder(family), PRIORS["skewed"]
    truth, found = draws_from(encoder, prior, 6000)

    def errors(vectors):
        return ((vectors - truth) ** 2).sum(axis=1)

    best = errors(Decoder(encoder, "mean", prior).vectors(found).vectors)
    others = {
        "not decoded": found.vectors,
        "nearest": Decoder(encoder, "nearest").vectors(found).vectors,
        "likely": Decoder(encoder, "likely", prior).vectors(found).vectors,
        "mean, all alike": Decoder(encoder, "mean").vectors(found).vectors,
        "the prior's mean": prior @ encoder.embeddings.vectors.astype(np.float64),
    }
    for name, vectors in others.items():
        gain = errors(vectors) - best
        assert gain.mean() > 6 * gain.std() / math.sqrt(len(gain)), name


@pytest.mark.parametrize("family", FAMILIES)
def test_the_most_likely_word_under_the_prior_is_right_most_often(family):
    encoder, prior = an_encoder(family), PRIORS["skewed"]
    rows = np.random.default_rng(4).choice(N, size=6000, p=prior)
    points = encoder.embeddings.points
    truth = points.first_word[points.of_word[rows]]
    found = encoder.encode([text_of(encoder, rows)])
    hits = [
        Decoder(encoder, how, weights).rows(found) == truth
        for how, weights in (("likely", prior), ("likely", None), ("nearest", None))
    ]
    for other in hits[1:]:
        gain = hits[0].astype(float) - other
        assert gain.mean() > 5 * gain.std() / math.sqrt(len(gain))


@pytest.mark.parametrize("family", FAMILIES)
def test_a_word_whose_prior_is_zero_is_not_found_where_another_is_possible_at_all(family):
    encoder = an_encoder(family, 1.0)
    prior = np.ones(N)
    prior[10:30] = 0
    found = encoder.encode([text_of(encoder, range(N))] * 20)
    rows = Decoder(encoder, "likely", prior).rows(found)
    assert not set(rows.tolist()) & set(range(10, 30))
    assert set(Decoder(encoder, "likely").rows(found).tolist()) & set(range(10, 30))
    scaled = Decoder(encoder, "likely", 1e-5 * prior).rows(found)
    assert (scaled == rows).all()


@pytest.mark.parametrize("family", FAMILIES)
def test_nothing_is_decoded_from_nothing(family):
    encoder = an_encoder(family)
    for found in (encoder.encode([]), encoder.encode(["", "unknown"])):
        for how in ("nearest", "likely"):
            assert Decoder(encoder, how).rows(found).shape == (0,)
            assert Decoder(encoder, how).words(found) == [[]] * len(found)
        assert Decoder(encoder, "mean").vectors(found).vectors.shape == (0, D)


def test_the_mean_is_no_word(encoder, encoded):
    for ask in (Decoder(encoder, "mean").rows, Decoder(encoder, "mean").words):
        with pytest.raises(InputError, match="choose how='likely' or 'nearest'"):
            ask(encoded)


def test_another_way_to_decode_is_refused(encoder):
    with pytest.raises(InputError, match="nearest, likely, mean, random, not 'median'"):
        Decoder(encoder, "median")


@pytest.mark.parametrize(
    "prior",
    [np.ones(N - 1), np.ones((N, 1)), np.full(N, -1.0), np.full(N, np.nan), np.r_[np.inf, np.ones(N - 1)], 1.0],
)
def test_a_prior_that_does_not_fit_the_words_is_refused(encoder, prior):
    with pytest.raises(InputError, match=f"must hold {N} finite numbers, none below 0"):
        Decoder(encoder, "likely", prior)


def test_a_prior_of_zeros_is_refused(encoder):
    with pytest.raises(InputError, match="0 for every word"):
        Decoder(encoder, "mean", np.zeros(N))
