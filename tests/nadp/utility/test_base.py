from unicodedata import normalize

import numpy as np

from nadp import Embeddings, EmbeddingSpace
from nadp.known_words import KnownWords, looked_up
from nadp.utility.base import WordRows, compact


def test_a_word_that_is_not_released_is_not_known():
    words = Embeddings(["the", "Paris", "paris"], np.eye(3))
    asked = ["the", "The", "Paris", "PARIS", "rome"]
    assert KnownWords(words).rows(asked).tolist() == [0, 0, 1, 2, -1]
    assert KnownWords(words, np.array([False, True, True])).rows(asked).tolist() == [-1, -1, 1, 2, -1]


def test_the_known_words_of_a_space_are_those_it_releases(clustered):
    space = EmbeddingSpace.build(clustered, tau=0.5, isolated="drop")
    known = KnownWords.of(space).rows(clustered.words.tolist())
    assert known.tolist() == [row if released else -1 for row, released in enumerate(space.released)]


def test_tables_of_rows_become_positions_among_the_rows_that_are_used():
    tables = [np.array([[7, 3], [3, 9]]), np.array([9, 9, 1]), np.empty((0, 2), dtype=np.int64)]
    rows, positions = compact(*tables)
    assert rows.tolist() == [1, 3, 7, 9]
    for table, position in zip(tables, positions, strict=True):
        assert np.array_equal(rows[position], table)
    assert compact()[0].tolist() == []


def test_capitals_are_also_kept_in_lower_case():
    assert looked_up(["The", "of", "OF"]) == {"The", "the", "of", "OF"}
    whole, parts = "Été", normalize("NFD", "Été")
    forms = {whole, parts, whole.lower(), parts.lower()}
    assert looked_up([whole]) == looked_up([parts]) == forms


def test_the_features_of_single_words_are_their_vectors(clustered):
    assert WordRows().features(clustered.vectors) is clustered.vectors
