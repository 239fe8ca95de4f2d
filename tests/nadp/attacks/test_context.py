import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nadp import InputError
from nadp.attacks.context import Candidates, Language, candidates_in_groups, most_probable_words
from tests import reference

WORDS = 5


@st.composite
def cases(draw):
    """Texts to learn from, a prior, and texts to read with one to three candidates a token."""
    word = st.integers(0, WORDS - 1)
    learnt = draw(st.lists(st.lists(word, max_size=6), min_size=1, max_size=5).filter(any))
    prior = draw(st.lists(st.integers(1, 5), min_size=WORDS, max_size=WORDS))
    known = st.floats(-3, 0)
    token = st.lists(st.tuples(word, known), min_size=1, max_size=3, unique_by=lambda pair: pair[0])
    return learnt, prior, draw(st.lists(st.lists(token, max_size=4), min_size=1, max_size=3))


def language(texts, prior):
    return Language.of([np.array(text, dtype=np.int64) for text in texts], np.array(prior, dtype=np.float64))


@given(cases())
def test_probabilities_are_those_of_witten_and_bell(case):
    texts, prior, _ = case
    found, (single, after) = language(texts, prior), reference.witten_bell(texts, prior)
    assert found.single == pytest.approx(single)
    table = found.pairs.toarray() + found.weight[:, None] * found.single
    expected = [[after(v, w) for w in range(WORDS)] for v in [*range(WORDS), None]]
    assert table == pytest.approx(np.array(expected))
    assert table.sum(axis=1) == pytest.approx(1)


@given(cases())
def test_the_reading_found_is_as_probable_as_the_best_of_all(case):
    learnt, prior, texts = case
    _, after = reference.witten_bell(learnt, prior)
    tokens = [token for text in texts for token in text]
    flat = [pair for token in tokens for pair in token]
    candidates = Candidates(
        np.cumsum([0, *map(len, tokens)]),
        np.array([word for word, _ in flat], dtype=np.int64),
        np.array([known for _, known in flat], dtype=np.float64),
    )
    starts = np.cumsum([0, *map(len, texts)])
    found = most_probable_words(language(learnt, prior), starts, candidates)
    for text, start in zip(texts, starts, strict=False):
        own = found[start : start + len(text)].tolist()
        best = reference.best_reading(text, after)

        def score(words, text=text):
            known = [dict(token)[word] for token, word in zip(text, words, strict=True)]
            pairs = zip([None, *words], words, strict=False)
            return sum(math.log(after(v, w)) for v, w in pairs) + sum(known)

        assert score(own) == pytest.approx(score(best))


def test_the_candidates_of_a_token_are_the_words_of_its_group():
    found = candidates_in_groups(np.array([0, 1, 0, 2, 1, 0]), np.array([1, 0, 2, 1]))
    each = [found.words[a:b].tolist() for a, b in zip(found.starts[:-1], found.starts[1:], strict=True)]
    assert each == [[1, 4], [0, 2, 5], [3], [1, 4]]
    assert not found.log_likelihood.any()


def test_context_finds_words_that_their_groups_hide():
    """In "a b a b" and "c d c d" the groups {a, c} and {b, d} hide every word, but not from who knows the language."""
    texts = [[0, 1, 0, 1], [2, 3, 2, 3]] * 10
    known = language([[0, 1, 0, 1], [2, 3, 2, 3], [4]], [1] * WORDS)
    labels = np.array([0, 1, 0, 1, 2])
    rows = np.concatenate(texts)
    starts = np.cumsum([0, *map(len, texts)])
    found = most_probable_words(known, starts, candidates_in_groups(labels, labels[rows]))
    assert (found == rows).mean() == 0.5  # the two readings are equally probable: the first is taken
    likelihood = candidates_in_groups(labels, labels[rows])
    tilted = Candidates(likelihood.starts, likelihood.words, np.where(likelihood.words < 2, 0.0, -0.1))
    tilted.log_likelihood[tilted.starts[4]] = -5.0  # a hint for the first token of the second text alone
    assert most_probable_words(known, starts, tilted)[:8].tolist() == [0, 1, 0, 1, 2, 3, 2, 3]


def test_what_does_not_fit_is_refused():
    known = language([[0, 1]], [1] * WORDS)
    some = candidates_in_groups(np.arange(WORDS), np.array([0, 1]))
    with pytest.raises(InputError, match="3 tokens"):
        most_probable_words(known, np.array([0, 3]), some)
    none = Candidates(np.array([0, 1, 1]), np.array([0]), np.zeros(1))
    with pytest.raises(InputError, match="token 1 has no candidate"):
        most_probable_words(known, np.array([0, 2]), none)
    with pytest.raises(InputError, match="at least one known word"):
        language([[]], [1] * WORDS)
    with pytest.raises(InputError, match="above 0"):
        language([[0]], [1, 0, 1, 1, 1])
