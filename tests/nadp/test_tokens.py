import numpy as np
import pytest

from nadp import Embeddings
from nadp.known_words import KnownWords
from nadp.tokens import centroids, tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It's a dog, isn't it?", ["It", "'s", "a", "dog", ",", "is", "n't", "it", "?"]),
        ('He said "no".', ["He", "said", "``", "no", "''", "."]),
        ("$3.50 (cash)", ["$", "3.50", "(", "cash", ")"]),
        ("", []),
    ],
)
def test_texts_are_split_as_glove_split_them(text, expected):
    assert list(tokens(text)) == expected


def test_a_centroid_is_the_mean_of_the_known_words_as_often_as_they_occur(clustered):
    words = Embeddings("abcd", clustered.vectors[:4])
    texts = [["a", "B", "a", "?"], [], ["d"], ["?", "!"], ["c", "a"]]
    matrix, rows = centroids(texts, KnownWords(words, np.array([True, True, True, False])))
    assert rows.tolist() == [0, 1, 2]
    a, b, c = words.vectors[:3].astype(float)
    zero = np.zeros(words.dimension)
    np.testing.assert_allclose(
        matrix @ words.vectors[rows], [(2 * a + b) / 3, zero, zero, zero, (a + c) / 2], rtol=1e-6
    )


def test_texts_without_a_known_word_have_an_empty_matrix(clustered):
    matrix, rows = centroids([["?"], []], KnownWords(clustered))
    assert (matrix.shape, len(rows)) == ((2, 0), 0)
