import math
from pathlib import Path

import numpy as np
import pytest
from gensim.models import KeyedVectors
from gensim.test.utils import datapath

from nadp import Embeddings, InputError
from nadp.known_words import KnownWords
from nadp.utility.resampling import RESAMPLES
from nadp.utility.word_similarity import PairSimilarity, RowPairs, WordPairs, WordSimilarity
from tests import reference


def values(evaluation, vectors):
    return {(s.benchmark, s.metric): s for s in evaluation.scores(evaluation.features(vectors[evaluation.rows]))}


def gensim_pairs(name):
    lines = Path(datapath(name)).read_text(encoding="utf-8").splitlines()
    first, second, ratings = zip(*(line.split("\t")[:3] for line in lines if line[:1] != "#"), strict=True)
    return WordPairs(name, first, second, np.array(ratings, dtype=float))


@pytest.mark.parametrize("name", ["wordsim353.tsv", "simlex999.txt"])
def test_gensim_gets_the_same_figures(sample, name):
    found = values(WordSimilarity([gensim_pairs(name)], KnownWords(sample)), sample.vectors)[name, "spearman"]
    peer = KeyedVectors(sample.dimension)
    peer.add_vectors(sample.words.tolist(), sample.vectors)
    _, (correlation, _), unknown = peer.evaluate_word_pairs(datapath(name))
    assert found.value == pytest.approx(correlation, abs=1e-6)
    assert 100 * (1 - found.coverage) == pytest.approx(unknown)
    assert 0.5 < found.coverage < 1


PAIRS = [("a", "b", 3.0), ("a", "c", 1.0), ("B", "d", 1.0), ("c", "d", 2.0), ("a", "unknown", 9.0)]
MORE = [("d", "e", 0.1), ("e", "a", 0.9), ("b", "c", 0.5)]


def made(name, rows):
    first, second, ratings = zip(*rows, strict=True)
    return WordPairs(name, first, second, np.array(ratings))


@pytest.fixture
def words():
    return Embeddings("abcde", np.random.default_rng(4).normal(size=(5, 3)))


def expected(words, rows):
    known = [(a.lower(), b, rating) for a, b, rating in rows if b in words.row_of]
    vector = dict(zip(words.words.tolist(), words.vectors.tolist(), strict=True))
    return [reference.cosine(vector[a], vector[b]) for a, b, _ in known], [rating for *_, rating in known]


def test_each_set_their_mean_and_the_pooled_pairs_are_scored(words):
    found = values(WordSimilarity([made("one", PAIRS), made("two", MORE)], KnownWords(words)), words.vectors)
    sets = [expected(words, rows) for rows in (PAIRS, MORE)]
    each = [reference.spearman(*one) for one in sets]
    pooled = reference.spearman(sets[0][0] + sets[1][0], sets[0][1] + sets[1][1])
    assert {key: (score.value, score.items, score.coverage) for key, score in found.items()} == {
        ("one", "spearman"): (pytest.approx(each[0]), 4, 4 / 5),
        ("one", "pearson"): (pytest.approx(reference.pearson(*sets[0])), 4, 4 / 5),
        ("two", "spearman"): (pytest.approx(each[1]), 3, 1),
        ("two", "pearson"): (pytest.approx(reference.pearson(*sets[1])), 3, 1),
        ("word-similarity", "spearman-mean"): (pytest.approx(sum(each) / 2), 7, 7 / 8),
        ("word-similarity", "spearman-pooled"): (pytest.approx(pooled), 7, 7 / 8),
    }
    assert {len(score.resampled) for score in found.values()} == {RESAMPLES}


def test_pairs_of_rows_are_scored_alike_but_their_ids_are_looked_up_as_they_are(words):
    rows = [*PAIRS, ("c", "e", 3.5)]
    made_of_rows = RowPairs("rows", *zip(*[row[:2] for row in rows], strict=True), np.array([row[2] for row in rows]))
    found = values(PairSimilarity([made_of_rows], KnownWords(words)), words.vectors)
    exact = [row for row in rows if row[0] != "B" and row[1] != "unknown"]
    assert found["rows", "spearman"].value == pytest.approx(reference.spearman(*expected(words, exact)))
    assert (found["rows", "pearson"].items, set(found)) == (4, {("rows", "spearman"), ("rows", "pearson")})
    assert made_of_rows.words() == {"a", "b", "B", "c", "d", "e", "unknown"}


def test_equal_vectors_have_no_correlation(words):
    evaluation = WordSimilarity([made("one", PAIRS)], KnownWords(words))
    for vectors in (np.ones((5, 3), np.float32), np.zeros((5, 3), np.float32)):
        assert all(math.isnan(score.value) for score in values(evaluation, vectors).values())


@pytest.mark.parametrize("rows", [[("x", "y", 1.0)], [("a", "b", 1.0), ("a", "unknown", 2.0)]])
def test_a_set_without_two_known_pairs_is_refused_by_name(words, rows):
    with pytest.raises(InputError, match="lemmas"):
        WordSimilarity([made("one", PAIRS), made("lemmas", rows)], KnownWords(words))


def test_the_words_that_are_needed_include_lower_case():
    assert made("one", PAIRS).words() == {"a", "b", "B", "c", "d", "unknown"}
