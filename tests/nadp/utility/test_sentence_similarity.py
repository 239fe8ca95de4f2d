import math

import numpy as np
import pytest

from nadp import Embeddings, InputError
from nadp.known_words import KnownWords
from nadp.utility.declaration import MIXED
from nadp.utility.sentence_similarity import SentencePairs, SentenceSimilarity
from tests import reference

ROWS = [
    ("a b", "b c", 4.0, "news"),
    ("a", "A c d", 1.0, "news"),
    ("d d a", "c", 3.0, "news"),
    ("?", "a", 5.0, "news"),
    ("b", "c d", 2.0, "forum"),
    ("c b a", "a", 0.5, "forum"),
]


def pairs(name, rows, *, told=True):
    first, second, ratings, sources = zip(*rows, strict=True)
    return SentencePairs(name, first, second, np.array(ratings), sources if told else [""] * len(rows))


@pytest.fixture
def words():
    return Embeddings("abcd", np.random.default_rng(1).normal(size=(4, 3)))


def values(evaluation, vectors):
    return {(s.benchmark, s.metric): s for s in evaluation.scores(evaluation.features(vectors[evaluation.rows]))}


def predicted(words, rows):
    vector = dict(zip(words.words.tolist(), words.vectors.astype(float), strict=True))
    means = [[np.mean([vector[word] for word in side.lower().split()], axis=0) for side in row[:2]] for row in rows]
    return [reference.cosine(one.tolist(), other.tolist()) for one, other in means], [row[2] for row in rows]


def test_correlations_over_all_pairs_and_weighted_by_source_are_those_of_the_loops(words):
    found = values(SentenceSimilarity([pairs("sts", ROWS)], KnownWords(words)), words.vectors)
    known = [row for row in ROWS if row[0] != "?"]
    linear, ranked = (f(*predicted(words, known)) for f in (reference.pearson, reference.spearman))
    parts = [predicted(words, [row for row in known if row[3] == source]) for source in ("news", "forum")]
    weighted = {f: (3 * f(*parts[0]) + 2 * f(*parts[1])) / 5 for f in (reference.pearson, reference.spearman)}
    assert {metric: score.value for (_, metric), score in found.items()} == pytest.approx(
        {
            "pearson": linear,
            "spearman": ranked,
            "geometric-mean": math.sqrt(max(linear, 0) * max(ranked, 0)),
            "pearson-weighted": weighted[reference.pearson],
            "spearman-weighted": weighted[reference.spearman],
        },
        abs=1e-6,
    )
    assert {(score.items, score.coverage) for score in found.values()} == {(5, 5 / 6)}


def test_the_geometric_mean_is_the_root_of_the_product_of_two_positive_correlations(words):
    scored, _ = predicted(words, ROWS[:3])
    agreeing = [(*row[:2], rating + 0.1 * rating**2, "") for row, rating in zip(ROWS, scored, strict=False)]
    found = values(SentenceSimilarity([pairs("sts", agreeing)], KnownWords(words)), words.vectors)
    linear, ranked, mean = (found["sts", metric].value for metric in ("pearson", "spearman", "geometric-mean"))
    assert (linear, ranked) == (pytest.approx(0.99, abs=0.01), pytest.approx(1))
    assert mean == pytest.approx(math.sqrt(linear * ranked))


def test_the_authors_score_is_the_mean_over_benchmarks_with_sources(words):
    sets = [pairs("one", ROWS), pairs("two", ROWS[4:]), pairs("three", ROWS[:3], told=False)]
    found = values(SentenceSimilarity(sets, KnownWords(words)), words.vectors)
    assert ("three", "spearman-weighted") not in found
    mean = found["sts-by-source", "spearman-weighted-mean"]
    assert mean.value == pytest.approx(
        (found["one", "spearman-weighted"].value + found["two", "spearman-weighted"].value) / 2
    )
    assert (mean.items, mean.coverage) == (7, pytest.approx(7 / 8))


@pytest.mark.parametrize("rows", [ROWS[3:4], ROWS[:1]])
def test_a_benchmark_without_two_known_pairs_is_refused_by_name(words, rows):
    with pytest.raises(InputError, match="sts"):
        SentenceSimilarity([pairs("sts", rows)], KnownWords(words))


def test_a_source_without_two_known_pairs_is_refused_by_name(words):
    rows = [*ROWS, ("a b", "c", 1.0, "lonely")]
    with pytest.raises(InputError, match="lonely"):
        SentenceSimilarity([pairs("sts", rows)], KnownWords(words))


def test_the_features_are_linear_in_the_vectors(words):
    evaluation = SentenceSimilarity([pairs("sts", ROWS)], KnownWords(words))
    x, n = np.random.default_rng(2).normal(size=(2, len(evaluation.rows), 3)).astype(np.float32)
    combined = evaluation.features(x) + np.float32(3) * evaluation.features(n)
    np.testing.assert_allclose(evaluation.features(x + 3 * n), combined, atol=1e-5)


def test_the_words_that_are_needed_are_the_tokens_in_all_forms():
    assert pairs("sts", [("It's A", "b", 1.0, "")]).words() == {"It", "it", "'s", "A", "a", "b"}


def test_pairs_of_several_sources_that_are_not_told_apart_are_pooled_and_named_so(sample):
    texts = ["the war in the north", "music for children", "a small house", "the price of oil"]
    made = SentencePairs("sts99", texts, texts[::-1], np.array([1.0, 4.0, 2.0, 3.0]), [MIXED] * 4)
    evaluation = SentenceSimilarity([made], KnownWords(sample))
    found = {s.metric for s in evaluation.scores(evaluation.features(sample.vectors[evaluation.rows]))}
    assert found == {"pearson-pooled", "spearman-pooled", "geometric-mean-pooled"}
