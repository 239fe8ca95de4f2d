"""Text classification: logistic regression on the centroids of texts (appendix A, "Text Classification")."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nadp.embeddings import Floats, Ids
from nadp.known_words import KnownWords, both_cases
from nadp.runtime.optional import optional
from nadp.scores import Score
from nadp.tokens import centroids, tokens
from nadp.utility.resampling import item_counts, kept

if TYPE_CHECKING:
    from sklearn.linear_model import LogisticRegression

_TEST_SHARE = 0.2
_SEED = 0
_TOLERANCE = 1e-8  # of the mean gradient; at scikit-learn's 1e-4 one prediction in 185,000 is not the minimiser's


@dataclass(frozen=True, eq=False)
class LabelledTexts:
    """Texts with a label each, m of them; and which part each belongs to ("train", "test"), or "" without a split."""

    name: str
    texts: Sequence[str]
    labels: npt.NDArray[np.int64]
    parts: Sequence[str]

    def words(self) -> set[str]:
        """Return the words that are needed, also in lower case."""
        return both_cases(token for text in self.texts for token in tokens(text))

    def split(self) -> tuple[Ids, Ids]:
        """Return the positions of the training and of the test texts, one split for all mechanisms and repeats.

        The official split where there is one; else four fifths of each label for training, chosen by a fixed seed from
        the texts in the order of their characters, so that the source's own order plays no part.
        """
        parts = np.array(self.parts)
        if parts.astype(bool).all():
            return np.flatnonzero(parts == "train"), np.flatnonzero(parts == "test")
        rng = np.random.default_rng(_SEED)
        order = np.array(sorted(range(len(self.texts)), key=self.texts.__getitem__))
        train, test = [], []
        for label in np.unique(self.labels):
            mixed = rng.permutation(order[self.labels[order] == label])
            cut = round(len(mixed) * _TEST_SHARE)
            test.append(mixed[:cut])
            train.append(mixed[cut:])
        return np.sort(np.concatenate(train)), np.sort(np.concatenate(test))


class Classification:
    """Accuracy of logistic regression on centroids, for each benchmark and their mean.

    scikit-learn's LogisticRegression with C = 1, no scaling, a solver that is quick for a few hundred features, and a
    tolerance so small that the figure is that of the exact minimiser, not of where a solver happened to stop.
    "accuracy" is on the test texts; "majority-share" is what always guessing the most common label of the test texts
    gives. A text without a known word has the zero vector and is classified like any other; the coverage is the share
    of the texts that have one.

    Args:
        benchmarks: at least one.
        known: the words that have vectors.
    """

    def __init__(self, benchmarks: Sequence[LabelledTexts], known: KnownWords) -> None:
        self._matrix, self.rows = centroids([tokens(text) for b in benchmarks for text in b.texts], known)
        filled = np.diff(self._matrix.indptr) > 0
        self._sets = []
        start = 0
        for benchmark in benchmarks:
            train, test = benchmark.split()
            texts = slice(start, start + len(benchmark.texts))
            self._sets.append((benchmark, train + start, test + start, float(filled[texts].mean())))
            start = texts.stop
        self._labels = np.concatenate([b.labels for b in benchmarks])

    def features(self, vectors: Floats) -> Floats:
        """Return the centroid of each text, (t, d)."""
        return (self._matrix @ vectors).astype(np.float32)

    def scores(self, features: Floats) -> list[Score]:
        """Return the scores of the centroids (t, d) of all texts."""
        found, accuracies, resampled = [], [], []
        for benchmark, train, test, coverage in self._sets:
            right = _right(features, self._labels, train, test)
            accuracy = float(right.mean())
            resampled.append(item_counts(benchmark.name, len(test)) @ right / len(test))
            majority = np.bincount(self._labels[test]).max() / len(test)
            accuracies.append(accuracy)
            found.append(Score(benchmark.name, "accuracy", accuracy, len(test), coverage))
            found.append(Score(benchmark.name, "majority-share", float(majority), len(test), 1.0))
        items = sum(len(test) for _, _, test, _ in self._sets)
        coverage = sum(len(test) * share for _, _, test, share in self._sets) / items
        mean, means = float(np.mean(accuracies)), kept(np.mean(resampled, axis=0))
        return [*found, Score("classification", "accuracy-mean", mean, items, coverage, resampled=means)]


def _right(features: Floats, labels: npt.NDArray[np.int64], train: Ids, test: Ids) -> npt.NDArray[np.bool_]:
    """Return which of the test texts are classified rightly."""
    model = _fitted(features[train], labels[train])
    return model.predict(features[test].astype(np.float64)) == labels[test]


def _fitted(features: Floats, labels: npt.NDArray[np.int64]) -> "LogisticRegression":
    with optional("utility", "classification"):
        from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 - optional, slow to import
    model = LogisticRegression(C=1.0, solver="newton-cholesky", tol=_TOLERANCE, max_iter=1000)
    return model.fit(features.astype(np.float64), labels)
