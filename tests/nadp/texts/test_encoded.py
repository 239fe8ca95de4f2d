"""Length and order of what is encoded, and the texts as they come out."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from nadp import InputError
from nadp.texts import EncodedTexts, TextBudget
from nadp.texts.words import of_length, shuffled
from tests.nadp.texts.planting import FAMILIES, far_apart, planted, text_of

SURELY = 1e-6
WORDS = 20


@pytest.fixture(scope="module")
def quiet():
    """The place of a vector is that of its word, a thousand apart, as good as without noise."""
    return planted(far_apart(WORDS), 2.0**-10)


def rows_of(encoded):
    """The rows of the words, text by text."""
    rows = np.rint(encoded.vectors[:, 0] / 1000).astype(int).tolist()
    return [rows[start:end] for start, end in zip(encoded.starts[:-1], encoded.starts[1:], strict=True)]


def test_a_length_cuts_the_last_tokens_and_fills_up_with_words(quiet):
    texts = [text_of(quiet, range(9)), text_of(quiet, [5, 6]), "", text_of(quiet, [1, 2, 3, 4])]
    found = quiet.encode(texts, length=4)
    rows = rows_of(found)
    assert found.lengths.tolist() == [4, 4, 4, 4]
    assert found.cut.tolist() == [5, 0, 0, 0]
    assert rows[0] == [0, 1, 2, 3]
    assert rows[1][:2] == [5, 6]
    assert rows[3] == [1, 2, 3, 4]
    assert all(0 <= row < WORDS for own in rows for row in own)
    assert found.vectors.shape == (16, 4)


def test_unknown_tokens_are_neither_cut_nor_filled_but_gone_before(quiet):
    found = quiet.encode([f"x y {text_of(quiet, [7, 8])} z"], length=2)
    assert rows_of(found) == [[7, 8]]
    assert (found.unknown.tolist(), found.cut.tolist()) == ([3], [0])


def test_fillers_follow_zipfs_law_and_are_independent(quiet):
    count = 40_000
    (rows,) = rows_of(quiet.encode([""], length=count))
    law = 1 / np.arange(1, WORDS + 1)
    law /= law.sum()
    assert stats.chisquare(np.bincount(rows, minlength=WORDS), count * law).pvalue > SURELY
    pairs = np.bincount(np.array(rows[:-1:2]) * WORDS + rows[1::2], minlength=WORDS**2)
    assert stats.chisquare(pairs, count // 2 * np.outer(law, law).ravel()).pvalue > SURELY
    assert rows != rows_of(quiet.encode([""], length=count))[0]


def test_fillers_of_each_text_are_of_its_own(quiet):
    rows = rows_of(quiet.encode([""] * 200, length=20))
    assert len({tuple(own) for own in rows}) == 200


def test_fillers_have_noise_as_any_word_has():
    encoder = planted(np.zeros((3, 6)), [1.0, 1.0, 1.0])
    noise = encoder.encode([""] * 500, length=4).vectors.astype(np.float64)
    assert stats.kstest(noise.ravel(), stats.norm.cdf).pvalue > SURELY


@given(st.lists(st.integers(0, 9), max_size=12), st.integers(1, 12))
def test_of_length_keeps_the_first_and_adds_no_more_than_are_wanting(rows, length):
    found = of_length(np.array(rows, dtype=np.int64), length, 10)
    assert len(found) == length
    kept = min(len(rows), length)
    assert found[:kept].tolist() == rows[:kept]
    assert ((found >= 0) & (found < 10)).all()


@pytest.mark.parametrize("length", [0, -1])
def test_a_length_below_one_is_refused_with_its_value(quiet, length):
    with pytest.raises(InputError, match=f"at least 1, not {length}"):
        quiet.encode(["w1"], length=length)


def test_shuffling_is_off_unless_it_is_asked_for(quiet):
    order = list(range(WORDS))
    assert rows_of(quiet.encode([text_of(quiet, order)] * 3)) == [order] * 3


def test_shuffling_keeps_the_words_of_each_text(quiet):
    texts = [[1, 2, 2, 3], [4], [], [7, 7, 7], list(range(WORDS))]
    found = rows_of(quiet.encode([text_of(quiet, rows) for rows in texts], shuffle=True))
    assert [sorted(rows) for rows in found] == texts


def test_every_order_is_equally_likely_and_each_text_has_its_own(quiet):
    repeats = 24 * 400
    found = rows_of(quiet.encode([text_of(quiet, [0, 1, 2, 3])] * repeats, shuffle=True))
    orders = list(permutations(range(4)))
    counts = np.bincount([orders.index(tuple(rows)) for rows in found], minlength=24)
    assert stats.chisquare(counts).pvalue > SURELY
    pairs = [orders.index(tuple(a)) * 24 + orders.index(tuple(b)) for a, b in zip(found[::2], found[1::2], strict=True)]
    assert stats.chisquare(np.bincount(pairs, minlength=576)).pvalue > SURELY


def test_each_place_of_a_long_text_holds_each_word_equally_often():
    found = np.array([shuffled(np.arange(WORDS)) for _ in range(4000)])
    for place in range(WORDS):
        assert stats.chisquare(np.bincount(found[:, place], minlength=WORDS)).pvalue > SURELY


def test_fillers_are_shuffled_with_the_words_and_cut_tokens_are_gone_before(quiet):
    places = [rows.index(7) for rows in rows_of(quiet.encode(["w7"] * 4000, length=5, shuffle=True)) if 7 in rows]
    assert len(places) == 4000
    first = np.bincount(places, minlength=5)  # of the word itself, or of a filler that is the same by chance
    assert (first > 500).all()
    cut = rows_of(quiet.encode([text_of(quiet, [1, 2, 3, 4])] * 50, length=2, shuffle=True))
    assert {tuple(sorted(rows)) for rows in cut} == {(1, 2)}
    assert len({tuple(rows) for rows in cut}) == 2


@pytest.fixture
def texts():
    lengths = [0, 2, 0, 0, 3, 1, 0]
    starts = np.concatenate([[0], np.cumsum(lengths)])
    vectors = np.random.default_rng(0).normal(size=(6, 4)).astype(np.float32)
    zeros = np.zeros(7, dtype=np.int64)
    return EncodedTexts(vectors, starts, np.ones(7), zeros, zeros)


def test_a_text_is_got_by_its_number_from_the_front_or_the_back(texts):
    assert len(texts) == 7
    for number in range(-7, 7):
        start, end = texts.starts[number % 7], texts.starts[number % 7 + 1]
        assert (texts[number] == texts.vectors[start:end]).all()
        assert len(texts[number]) == texts.lengths[number]
    assert (texts[np.int64(4)] == texts[4]).all()


@pytest.mark.parametrize("number", [7, -8, 100])
def test_a_text_that_is_not_there_is_an_index_error(texts, number):
    with pytest.raises(IndexError):
        texts[number]


def test_texts_are_gone_through_in_order(texts):
    assert [len(vectors) for vectors in texts] == [0, 2, 0, 0, 3, 1, 0]
    assert (np.concatenate(list(texts)) == texts.vectors).all()


def test_centroids_are_the_naive_means_and_zero_without_tokens(texts):
    found = texts.centroids()
    assert (found.shape, found.dtype) == ((7, 4), np.float32)
    for number, mean in enumerate(found):
        own = texts[number].astype(np.float64)
        expected = own.mean(axis=0) if len(own) else np.zeros(4)
        assert mean == pytest.approx(expected, rel=1e-6, abs=1e-7)


@given(st.lists(st.integers(0, 4), max_size=8))
def test_centroids_are_the_naive_means_whatever_is_empty(lengths):
    starts = np.concatenate([[0], np.cumsum(np.array(lengths, dtype=np.int64))])
    vectors = np.arange(3.0 * starts[-1], dtype=np.float32).reshape(-1, 3) ** 2
    zeros = np.zeros(len(lengths), dtype=np.int64)
    found = EncodedTexts(vectors, starts, np.ones(len(lengths)), zeros, zeros).centroids()
    assert found.shape == (len(lengths), 3)
    for number, length in enumerate(lengths):
        own = vectors[starts[number] : starts[number + 1]]
        assert found[number] == pytest.approx(own.mean(axis=0) if length else np.zeros(3), rel=1e-6)


def test_centroids_are_summed_in_float64():
    vectors = np.array([[1e8], [0.5], [-1e8], [1.0]], dtype=np.float32)
    one = np.zeros(1, dtype=np.int64)
    found = EncodedTexts(vectors, np.array([0, 4]), np.ones(1), one, one).centroids()
    assert found.tolist() == [[1.5 / 4]]


def test_of_no_texts_there_are_no_centroids(texts):
    none = replace(texts, vectors=texts.vectors[:0], starts=texts.starts[:1])
    assert none.centroids().shape == (0, 4)


def tokens_by_grid(centroid, grid, most=64):
    """The attack: the smallest k for which k times the centroid lies on the grid of the tokens."""
    for k in range(1, most):
        steps = k * centroid.astype(np.float64) / grid
        if np.abs(steps - np.rint(steps)).max() < 0.02:
            return k
    return most


@pytest.mark.parametrize("family", FAMILIES)
def test_a_centroid_does_not_give_away_its_number_of_tokens(family):
    encoder = planted(np.random.default_rng(0).normal(size=(WORDS, 8)), 1.0, family)
    rng = np.random.default_rng(1)
    lengths = rng.integers(2, 40, 200)
    found = encoder.encode([text_of(encoder, rng.integers(0, WORDS, length)) for length in lengths])
    exact = np.array([found[i].astype(np.float64).mean(axis=0) for i in range(200)])
    grid = encoder.noise.grid
    assert np.mean([tokens_by_grid(mean, grid) == k for mean, k in zip(exact, lengths, strict=True)]) > 0.9
    assert {tokens_by_grid(mean, grid) for mean in found.centroids()} == {1}
    assert np.abs(found.centroids() - exact).max() <= grid


@pytest.mark.parametrize("tokens", [1, 2, 3, 4, 8])
def test_even_numbers_of_the_grid_are_as_frequent_as_odd_ones_in_a_centroid_of_any_number_of_tokens(tokens):
    """Rounding ties to even numbers makes three quarters of them even if there are two tokens."""
    encoder = planted(np.random.default_rng(0).normal(size=(WORDS, 50)), 1.0)
    rng = np.random.default_rng(1)
    found = encoder.encode([text_of(encoder, rng.integers(0, WORDS, tokens)) for _ in range(1000)])
    steps = found.centroids().astype(np.float64) / encoder.noise.grid
    assert abs((steps % 2 == 0).mean() - 0.5) < 0.02  # nine standard deviations


def test_the_grid_of_a_centroid_does_not_give_away_the_noise_that_a_budget_adds():
    encoder = planted(np.random.default_rng(0).normal(size=(WORDS, 50)), 1.0)
    texts = [text_of(encoder, np.arange(k) % WORDS) for k in (3, 30, 300) for _ in range(100)]
    found = encoder.encode(texts, budget=TextBudget(encoder.guarantee.of_tokens(2)[0]))
    grid, centroids = encoder.noise.grid, found.centroids().astype(np.float64)
    assert found.factors[-1] > 8
    for divisor in (2, 4, 8):
        shares = ((centroids / grid) % divisor == 0).reshape(3, -1).mean(axis=1)
        assert np.abs(shares - 1 / divisor).max() < 0.07  # nine standard deviations
    exact = np.array([each.astype(np.float64).mean(axis=0) for each in found])
    assert (np.abs(centroids - exact) <= grid * np.maximum(1, found.factors)[:, None]).all()
