from unicodedata import normalize

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from nadp import Embeddings, InputError
from nadp.embeddings import distinct_points
from tests import reference

TWO = [[1.0, 2.0], [3.0, 4.0]]


def test_words_and_vectors_are_kept_in_order_and_in_single_precision():
    found = Embeddings(["b", "a"], np.asfortranarray(TWO), {"lines": 2})
    assert found.words.tolist() == ["b", "a"]
    assert found.vectors.dtype == np.float32
    assert found.vectors.flags.c_contiguous
    assert (len(found), found.dimension, found.counts) == (2, 2, {"lines": 2})


@pytest.mark.parametrize(
    ("words", "vectors", "message"),
    [
        (["a"], TWO, r"1 words do not fit vectors of shape \(2, 2\)"),
        (["a", "b"], [1.0, 2.0], r"shape \(2,\)"),
        ([], np.empty((0, 3)), "at least one word"),
        (["a"], np.empty((1, 0)), "one dimension"),
        (["a", "b"], [[1, 2], [3, np.nan]], "'b' holds a number that is not finite"),
        (["a", "b"], [[np.inf, 2], [3, 4]], "'a' holds a number that is not finite"),
        (["a", "b"], [[1, 2], [3, 1e39]], "'b' holds a number that is not finite"),
        (["a", "b", "c", "b", "a"], np.ones((5, 1)), "'a' occurs twice"),
        (["a", ""], TWO, "row 1 is empty"),
    ],
)
def test_what_is_no_embedding_is_refused_in_words(words, vectors, message):
    with pytest.raises(InputError, match=message):
        Embeddings(words, vectors)


def test_a_word_is_looked_up_as_it_is_or_else_in_lower_case():
    found = Embeddings(["the", "The", "paris", "İ"], np.eye(4))
    assert found.rows(["The", "THE", "Paris", "paris", "rome", "İ", ""]).tolist() == [1, 0, 2, 2, -1, 3, -1]


def test_a_subset_has_the_rows_asked_for_in_the_order_asked_for():
    found = Embeddings(["a", "b", "c"], [[1], [2], [3]], {"lines": 3}).subset([2, 0])
    assert found.words.tolist() == ["c", "a"]
    assert found.vectors.tolist() == [[3], [1]]
    assert (found.counts, found.row_of) == ({"lines": 3}, {"c": 0, "a": 1})


def test_other_vectors_keep_the_words(sample):
    words = sample.subset(range(3))
    other = np.arange(6, dtype=np.float32).reshape(3, 2)
    found = words.with_vectors(other)
    assert found.words is words.words
    assert found.vectors is other
    assert (found.counts, found.row_of) == ({}, words.row_of)
    assert (len(found), found.dimension, len(found.points)) == (3, 2, 3)


few_values = st.sampled_from([0.0, -0.0, 1.0, 1.0 + 2**-23, -1.0, 2.0**-149])


@given(arrays(np.float32, st.tuples(st.integers(1, 12), st.integers(1, 3)), elements=few_values))
def test_equal_vectors_are_one_point_and_points_come_in_the_order_of_their_first_words(vectors):
    found = distinct_points(vectors)
    of_word, first_word = reference.distinct(vectors)
    assert found.of_word.tolist() == of_word
    assert found.first_word.tolist() == first_word
    assert np.array_equal(found.vectors, vectors[first_word])
    assert found.words_at.tolist() == [of_word.count(point) for point in range(len(found))]


def test_both_zeros_are_one_value():
    points = Embeddings(["a", "b", "c"], [[0.0, 1.0], [-0.0, 1.0], [0.0, -1.0]]).points
    assert points.of_word.tolist() == [0, 0, 1]


def test_the_covariance_is_that_of_the_words(clustered):
    x = clustered.vectors.astype(float)
    centred = x - x.mean(axis=0)
    np.testing.assert_allclose(clustered.covariance, centred.T @ centred / (len(x) - 1), rtol=1e-12)
    assert Embeddings(["a", "b"], [[1.0], [3.0]]).covariance.tolist() == [[2.0]]


def test_it_does_not_matter_how_a_table_or_a_text_composes_its_characters():
    whole, parts = "été", normalize("NFD", "été")
    assert whole != parts
    for word in (whole, parts):
        table = Embeddings(["a", word, "Straße"], np.eye(3))
        asked = [whole, parts, whole.upper(), normalize("NFD", whole.upper()), "straße", "ete"]
        assert table.rows(asked).tolist() == [1, 1, 1, 1, -1, -1]
        assert table.words[1] == word  # released as it was
    both = Embeddings([parts, whole], np.eye(2))
    assert both.rows([whole, parts]).tolist() == [1, 0]
