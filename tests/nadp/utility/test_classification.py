from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score

from nadp import Embeddings, InputError
from nadp.known_words import KnownWords
from nadp.utility.classification import (
    Classification,
    LabelledRows,
    LabelledTexts,
    RowClassification,
    _fitted,
    _macro_f1,
)
from nadp.utility.resampling import item_counts

GOOD, BAD = ["good", "great", "fine"], ["bad", "poor", "dull"]


@pytest.fixture
def words():
    rng = np.random.default_rng(0)
    centres = np.repeat([[1.0, 0, 0], [-1.0, 0, 0]], 3, axis=0)
    return Embeddings([*GOOD, *BAD, "film"], np.vstack([centres, [[0, 0, 0]]]) + 0.1 * rng.normal(size=(7, 3)))


def texts(count=100, parts=None, name="mr"):
    rng = np.random.default_rng(1)
    labels = np.arange(count) % 3 // 2  # two thirds are 0
    written = [
        f"a {rng.choice([GOOD, BAD][label])} film number {i}" if i % 10 else f"unknown {i}"
        for i, label in enumerate(labels)
    ]
    return LabelledTexts(name, written, labels, parts or [""] * count)


def values(evaluation, vectors):
    return {(s.benchmark, s.metric): s for s in evaluation.scores(evaluation.features(vectors[evaluation.rows]))}


def test_the_split_is_stratified_complete_and_blind_to_the_order_of_the_source():
    one = texts()
    train, test = one.split()
    assert sorted([*train, *test]) == list(range(100))
    for label in (0, 1):
        assert Counter(one.labels[test])[label] == round(0.2 * Counter(one.labels)[label])
    order = np.random.default_rng(2).permutation(100)
    mixed = LabelledTexts("mr", [one.keys[i] for i in order], one.labels[order], [""] * 100)
    assert {mixed.keys[i] for i in mixed.split()[1]} == {one.keys[i] for i in test}


def test_an_official_split_is_kept_and_other_parts_are_left_out():
    parts = ["train"] * 60 + ["test"] * 30 + ["validation"] * 10
    train, test = texts(parts=parts).split()
    assert (train.tolist(), test.tolist()) == (list(range(60)), list(range(60, 90)))


def test_accuracy_is_that_of_logistic_regression_on_centroids(words):
    benchmark = texts()
    found = values(Classification([benchmark], KnownWords(words)), words.vectors)
    vector = dict(zip(words.words.tolist(), words.vectors.astype(float), strict=True))
    means = np.array(
        [np.mean([vector[w] for w in text.split() if w in vector] or [np.zeros(3)], axis=0) for text in benchmark.keys]
    )
    train, test = benchmark.split()
    peer = LogisticRegression(C=1.0).fit(means[train], benchmark.labels[train])
    accuracy = found["mr", "accuracy"]
    assert accuracy.value == pytest.approx(peer.score(means[test], benchmark.labels[test]))
    assert 0.8 < accuracy.value <= 1
    assert (accuracy.items, accuracy.coverage) == (20, 0.9)
    assert found["mr", "majority-share"].value == 13 / 20


def test_the_mean_is_over_the_benchmarks(words):
    other = texts(60, name="cr")
    other = LabelledTexts("cr", other.keys, np.random.default_rng(3).permutation(other.labels), other.parts)
    found = values(Classification([texts(), other], KnownWords(words)), words.vectors)
    alone = values(Classification([other], KnownWords(words)), words.vectors)["cr", "accuracy"]
    assert found["cr", "accuracy"] == alone
    assert alone.value < found["mr", "accuracy"].value
    mean = found["classification", "accuracy-mean"]
    assert mean.value == pytest.approx((found["mr", "accuracy"].value + found["cr", "accuracy"].value) / 2)
    assert mean.items == 32


def distance_to_the_minimiser(model, features, labels, unseen):
    """How far at most the decision values (m,) of a logistic regression with C = 1 are from those of the minimiser.

    Half the squared norm of the weights makes what is minimised strongly convex in them, so they are off by no more
    than the gradient in them, could the intercept be at its best. It is within twice the Newton step of that: the
    second derivative of the log loss falls no faster than exponentially. A change of the weights by r moves its best
    value by at most r times the longest training item.
    """
    likely = model.predict_proba(features)[:, 1]
    slope = (likely - labels) @ features + model.coef_[0]
    beside, curvature = abs((likely - labels).sum()), (likely * (1 - likely)).sum()
    assert beside < curvature / 2
    longest = np.linalg.norm(features, axis=1).max()
    weights = np.linalg.norm(slope) + beside * (longest + np.sqrt(2 / curvature))
    return (longest + np.linalg.norm(unseen, axis=1)) * weights + 2 * beside / curvature


@pytest.mark.parametrize(("scale", "doubt"), [(10, 0.1), (0.3, 0.3)])
def test_it_is_proved_that_no_prediction_differs_from_that_of_the_exact_minimiser(scale, doubt):
    rng = np.random.default_rng(1)
    features, unseen = scale * rng.normal(size=(400, 20)), scale * rng.normal(size=(20_000, 20))
    labels = (features @ rng.normal(size=20) / scale + doubt * rng.normal(size=400) > 1).astype(np.int64)
    model = _fitted(features, labels)
    values, error = model.decision_function(unseen), distance_to_the_minimiser(model, features, labels, unseen)
    assert (np.abs(values) > error).all()
    peer = LogisticRegression(solver="newton-cholesky", tol=1e-13).fit(features, labels)
    assert (np.abs(values - peer.decision_function(unseen)) <= error).all()
    loose = LogisticRegression(solver="newton-cholesky").fit(features, labels)  # the tolerance is what makes it so
    assert (loose.predict(unseen) != model.predict(unseen)).any()


@pytest.mark.parametrize("scale", [0, 1e-3, 1e4])
def test_vectors_that_say_nothing_are_classified_without_a_warning(words, scale):
    vectors = np.float32(scale) * np.random.default_rng(3).normal(size=words.vectors.shape).astype(np.float32)
    found = values(Classification([texts()], KnownWords(words)), vectors)
    assert 0 <= found["mr", "accuracy"].value <= 1
    if not scale:
        assert found["mr", "accuracy"].value == found["mr", "majority-share"].value


def test_the_words_that_are_needed_are_the_tokens_in_looked_up():
    assert LabelledTexts("mr", ["Don't ask"], np.array([0]), [""]).words() == {"Do", "do", "n't", "ask"}


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30))
def test_macro_f1_is_scikit_learns_over_all_items_and_over_each_resample(pairs):
    truth, guessed = np.array(pairs).T
    assert _macro_f1(truth, guessed)[0] == pytest.approx(f1_score(truth, guessed, average="macro"), abs=1e-6)
    counts = item_counts("f1", len(pairs))[:5]
    labels = np.unique([truth, guessed])
    for found, c in zip(_macro_f1(truth, guessed, counts), counts, strict=True):
        t, g = np.repeat(truth, c), np.repeat(guessed, c)
        assert found == pytest.approx(f1_score(t, g, labels=labels, average="macro", zero_division=0), abs=1e-6)


def rows_of_a_table(labels=3, count=150):
    rng = np.random.default_rng(4)
    centres = 3 * rng.normal(size=(labels, 5))
    truth = np.arange(count) % labels
    table = Embeddings([f"Doc{i}" for i in range(count)], centres[truth] + rng.normal(size=(count, 5)))
    return table, LabelledRows("docs", table.words.tolist(), truth, [""] * count)


@pytest.mark.parametrize("labels", [2, 3])
def test_rows_of_a_table_are_classified_by_their_own_vectors(labels):
    table, benchmark = rows_of_a_table(labels)
    found = values(RowClassification([benchmark], KnownWords(table)), table.vectors)
    train, test = benchmark.split()
    peer = LogisticRegression(C=1.0, tol=1e-8, max_iter=1000).fit(table.vectors[train], benchmark.labels[train])
    guessed = peer.predict(table.vectors[test])
    assert found["docs", "accuracy"].value == pytest.approx((guessed == benchmark.labels[test]).mean())
    expected = f1_score(benchmark.labels[test], guessed, average="macro")
    assert found["docs", "macro-f1"].value == pytest.approx(expected, abs=1e-6)
    assert (found["docs", "accuracy"].items, found["docs", "accuracy"].coverage) == (len(test), 1)


def test_rows_that_are_not_known_are_left_out_and_ids_have_one_spelling():
    table, benchmark = rows_of_a_table()
    released = np.arange(len(table)) % 5 > 0
    found = values(RowClassification([benchmark], KnownWords(table, released)), table.vectors)
    _, test = benchmark.split()
    assert (found["docs", "accuracy"].items, found["docs", "accuracy"].coverage) == (released[test].sum(), 0.8)
    other = LabelledRows("docs", [key.upper() for key in benchmark.keys], benchmark.labels, benchmark.parts)
    with pytest.raises(InputError, match="docs"):
        RowClassification([other], KnownWords(table))


def test_several_tables_of_labels_are_scored_each_by_itself():
    table, one = rows_of_a_table()
    other = LabelledRows("half", one.keys[:80], one.labels[::-1][:80], [""] * 80)
    both = values(RowClassification([one, other], KnownWords(table)), table.vectors)
    alone = [values(RowClassification([b], KnownWords(table)), table.vectors) for b in (one, other)]
    assert both == alone[0] | alone[1]


@pytest.mark.parametrize("known", ["zzz", "good"])
def test_texts_without_known_training_and_test_texts_are_refused_by_name(known):
    with pytest.raises(InputError, match="mr"):
        Classification([texts(12)], KnownWords(Embeddings([known], [[1.0]])))


def test_training_texts_of_one_label_are_refused(words):
    parts = ["train" if i % 3 == 0 else "test" for i in range(30)]
    with pytest.raises(InputError, match="label"):
        Classification([texts(30, parts)], KnownWords(words))
