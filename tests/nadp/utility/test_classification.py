from collections import Counter

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from nadp import Embeddings
from nadp.known_words import KnownWords
from nadp.utility.classification import Classification, LabelledTexts, _fitted

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
    mixed = LabelledTexts("mr", [one.texts[i] for i in order], one.labels[order], [""] * 100)
    assert {mixed.texts[i] for i in mixed.split()[1]} == {one.texts[i] for i in test}


def test_an_official_split_is_kept_and_other_parts_are_left_out():
    parts = ["train"] * 60 + ["test"] * 30 + ["validation"] * 10
    train, test = texts(parts=parts).split()
    assert (train.tolist(), test.tolist()) == (list(range(60)), list(range(60, 90)))


def test_accuracy_is_that_of_logistic_regression_on_centroids(words):
    benchmark = texts()
    found = values(Classification([benchmark], KnownWords(words)), words.vectors)
    vector = dict(zip(words.words.tolist(), words.vectors.astype(float), strict=True))
    means = np.array(
        [np.mean([vector[w] for w in text.split() if w in vector] or [np.zeros(3)], axis=0) for text in benchmark.texts]
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
    other = LabelledTexts("cr", other.texts, np.random.default_rng(3).permutation(other.labels), other.parts)
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


def test_the_words_that_are_needed_are_the_tokens_in_both_cases():
    assert LabelledTexts("mr", ["Don't ask"], np.array([0]), [""]).words() == {"Do", "do", "n't", "ask"}
