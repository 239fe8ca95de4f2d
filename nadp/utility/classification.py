"""Classification: logistic regression on the centroids of texts (appendix A), or on the rows of a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nadp.centroids import centroids
from nadp.embeddings import Floats, Ids
from nadp.known_words import KnownWords, looked_up
from nadp.runtime.optional import optional
from nadp.scores import Score
from nadp.tokens import TREEBANK, Tokenizer
from nadp.utility.base import WordRows, compact, require_items
from nadp.utility.resampling import item_counts, over_items

if TYPE_CHECKING:
    from sklearn.linear_model import LogisticRegression

_TEST_SHARE = 0.2
_SEED = 0
_TOLERANCE = 1e-8  # of the mean gradient; at 1e-4, the default, one prediction in 185,000 differs from the minimiser's
Labels = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class LabelledRows:
    """m labelled rows of a table, and the part of each ("train", "test", "" for no split).

    Attributes:
        name: name of the benchmark.
        keys: the ids of the rows.
        labels: (m,) 0, 1, ...
        parts: parts of the official split.
    """

    name: str
    keys: Sequence[str]
    labels: Labels
    parts: Sequence[str]

    def words(self) -> set[str]:
        """Return the ids to look up."""
        return set(self.keys)

    def split(self) -> tuple[Ids, Ids]:
        """Return the positions of the training and of the test items, one split for all mechanisms and repeats.

        The official split is used if there is one. Otherwise, four fifths of each label are for training. They are
        chosen from the sorted keys by a fixed seed, so that the order of the source does not matter.
        """
        parts = np.array(self.parts)
        if parts.astype(bool).all():
            return np.flatnonzero(parts == "train"), np.flatnonzero(parts == "test")
        rng = np.random.default_rng(_SEED)
        order = np.array(sorted(range(len(self.keys)), key=self.keys.__getitem__))
        train, test = [], []
        for label in np.unique(self.labels):
            shuffled = rng.permutation(order[self.labels[order] == label])
            test_size = round(len(shuffled) * _TEST_SHARE)
            test.append(shuffled[:test_size])
            train.append(shuffled[test_size:])
        return np.sort(np.concatenate(train)), np.sort(np.concatenate(test))


@dataclass(frozen=True, eq=False)
class LabelledTexts(LabelledRows):
    """Labelled texts, which are the keys; see LabelledRows."""

    tokenizer: Tokenizer = TREEBANK

    def tokens(self) -> list[tuple[str, ...]]:
        """Return the tokens of each text."""
        return [self.tokenizer.tokens(text) for text in self.keys]

    def words(self) -> set[str]:
        """Return the words to look up, in all forms."""
        return looked_up(token for text in self.tokens() for token in text)


class RowClassification(WordRows):
    """Accuracy of logistic regression on rows, for each benchmark.

    scikit-learn's LogisticRegression with C = 1, no scaling, and a tolerance so small that the score equals the
    exact minimiser's. "accuracy" and "macro-f1" (the mean over the labels of F1) are on the test rows; "majority-share"
    is the score of always guessing their most common label. Unknown rows are left out and lower the coverage.

    Args:
        benchmarks: at least one.
        known: the rows that have vectors.

    Raises:
        InputError: if a benchmark has too few known rows.
    """

    def __init__(self, benchmarks: Sequence[LabelledRows], known: KnownWords) -> None:
        rows = [known.rows_of_ids(b.keys) for b in benchmarks]
        self.rows, _ = compact(*(r[r >= 0] for r in rows))
        self._sets = [_Learnt(b, r >= 0, np.searchsorted(self.rows, r)) for b, r in zip(benchmarks, rows, strict=True)]

    def scores(self, features: Floats) -> list[Score]:
        """Return the scores of the vectors (m, d) of `rows`."""
        return [score for classifier in self._sets for score in classifier.scores(features)]


class Classification:
    """The scores of RowClassification on the centroids of texts, and the mean accuracy over the benchmarks.

    A text without a known word has the zero vector and is classified like any other; the coverage is the share of
    texts with a known word.

    Args:
        benchmarks: at least one.
        known: the words that have vectors.

    Raises:
        InputError: if no text of a benchmark has a known word.
    """

    def __init__(self, benchmarks: Sequence[LabelledTexts], known: KnownWords) -> None:
        self._matrix, self.rows = centroids([text for b in benchmarks for text in b.tokens()], known)
        filled = np.diff(self._matrix.indptr) > 0
        ends = np.cumsum([len(b.keys) for b in benchmarks])
        places = np.split(np.arange(len(filled)), ends[:-1])
        self._sets = [
            _Learnt(b, np.ones(len(text_ids), dtype=bool), text_ids, filled[text_ids])
            for b, text_ids in zip(benchmarks, places, strict=True)
        ]

    def features(self, vectors: Floats) -> Floats:
        """Return the centroid of each text, (t, d)."""
        return (self._matrix @ vectors).astype(np.float32)

    def scores(self, features: Floats) -> list[Score]:
        """Return the scores of the centroids (t, d) of all texts."""
        scores = [score for classifier in self._sets for score in classifier.scores(features)]
        accuracies = [score for score in scores if score.metric == "accuracy"]
        items = sum(score.items for score in accuracies)
        coverage = sum(score.items * score.coverage for score in accuracies) / items
        mean = float(np.mean([score.value for score in accuracies]))
        resampled_fields = over_items(np.mean([score.resampled for score in accuracies], axis=0))
        return [*scores, Score("classification", "accuracy-mean", mean, items, coverage, **resampled_fields)]


class _Learnt:
    """A benchmark, prepared for classification from different features.

    Args:
        benchmark: m items.
        usable: (m,) items that are used.
        places: (m,) positions of their features.
        known: (m,) items that are known; default: the used ones.
    """

    def __init__(
        self,
        benchmark: LabelledRows,
        usable: npt.NDArray[np.bool_],
        places: Ids,
        known: npt.NDArray[np.bool_] | None = None,
    ) -> None:
        known = usable if known is None else known
        self.name, self.coverage = benchmark.name, float(known.mean())
        self.train, self.test = (part[usable[part]] for part in benchmark.split())
        self.labels, self._places = benchmark.labels, places
        self._check(known)
        self._counts = item_counts(self.name, len(self.test))

    def _check(self, known: npt.NDArray[np.bool_]) -> None:
        items = f"items (of {len(self.labels):,})"
        require_items(self.name, int(known[self.train].sum()), 2, f"training {items}")
        require_items(self.name, int(known[self.test].sum()), 1, f"test {items}")
        require_items(self.name, len(np.unique(self.labels[self.train])), 2, "labels in the training items")

    def scores(self, features: Floats) -> list[Score]:
        """Return the scores of features (t, d)."""
        model = _fitted(features[self._places[self.train]], self.labels[self.train])
        guessed = model.predict(features[self._places[self.test]].astype(np.float64))
        truth, items = self.labels[self.test], len(self.test)
        right = guessed == truth
        figures = {
            "accuracy": (float(right.mean()), self._counts @ right.astype(np.float32) / items),
            "macro-f1": (float(_macro_f1(truth, guessed)[0]), _macro_f1(truth, guessed, self._counts)),
        }
        scores = [
            Score(self.name, metric, value, items, self.coverage, **over_items(resampled))
            for metric, (value, resampled) in figures.items()
        ]
        majority = float(np.bincount(truth).max() / items)
        return [*scores, Score(self.name, "majority-share", majority, items, 1.0)]


def _macro_f1(truth: Labels, guessed: Labels, counts: npt.NDArray[np.integer] | None = None) -> npt.NDArray[np.float64]:
    """Return the mean of F1 over all labels that occur, (b,), over each resample (b, m) of the items."""
    weights = np.ones((1, len(truth)), dtype=np.uint16) if counts is None else counts
    f1_by_label = []
    for label in np.unique([truth, guessed]):
        is_label, is_guessed = (truth == label).astype(np.float32), (guessed == label).astype(np.float32)
        total = weights @ (is_label + is_guessed)
        f1_by_label.append(
            np.divide(2 * (weights @ (is_label * is_guessed)), total, out=np.zeros(len(weights)), where=total > 0)
        )
    return np.mean(f1_by_label, axis=0)


def _fitted(features: Floats, labels: Labels) -> "LogisticRegression":
    with optional("utility", "classification"):
        from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 - optional, slow to import
    # Newton's method is quickest for two labels; its matrix grows with the square of their number
    solver = "newton-cholesky" if len(np.unique(labels)) == 2 else "lbfgs"
    model = LogisticRegression(C=1.0, solver=solver, tol=_TOLERANCE, max_iter=1000)
    return model.fit(features.astype(np.float64), labels)
