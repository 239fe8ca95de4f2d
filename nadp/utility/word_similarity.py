"""Similarity of words or table rows: correlation of cosines with human ratings (appendix A, "Word Similarity")."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nadp.embeddings import Floats, Ids
from nadp.known_words import KnownWords, looked_up
from nadp.scores import Score
from nadp.utility.base import WordRows, compact, require_items
from nadp.utility.correlation import Ratings
from nadp.utility.cosine import cosines
from nadp.utility.resampling import ResampledRatings, item_counts, over_items


@dataclass(frozen=True, eq=False)
class RowPairs:
    """m pairs of table rows, by their ids, with ratings."""

    name: str
    first: Sequence[str]
    second: Sequence[str]
    ratings: npt.NDArray[np.float64]

    def words(self) -> set[str]:
        """Return the ids to look up."""
        return {*self.first, *self.second}

    def rows(self, known: KnownWords) -> Ids:
        """Return the rows of each pair, (m, 2), -1 where one is not known."""
        return np.column_stack([known.rows_of_ids(self.first), known.rows_of_ids(self.second)])


@dataclass(frozen=True, eq=False)
class WordPairs(RowPairs):
    """m pairs of words with human ratings."""

    def words(self) -> set[str]:
        """Return the words to look up, in all forms."""
        return looked_up([*self.first, *self.second])

    def rows(self, known: KnownWords) -> Ids:
        """Return the rows of each pair, (m, 2), -1 where one is not known."""
        return np.column_stack([known.rows(self.first), known.rows(self.second)])


class PairSimilarity(WordRows):
    """Correlation of cosines and ratings, "spearman" and "pearson", for each set of pairs.

    Pairs with an unknown part are left out and lower the coverage.

    Args:
        sets: sets of pairs, at least one.
        known: the words or rows that have vectors.

    Raises:
        InputError: if no two pairs of a set are known.
    """

    def __init__(self, sets: Sequence[RowPairs], known: KnownWords) -> None:
        rows_of_pairs = [s.rows(known) for s in sets]
        usable = [np.asarray((rows >= 0).all(axis=1)) for rows in rows_of_pairs]
        self.rows, self.pairs = compact(*(rows[u] for rows, u in zip(rows_of_pairs, usable, strict=True)))
        self._sets = [_Rated(s.name, s.ratings, u) for s, u in zip(sets, usable, strict=True)]

    def scores(self, features: Floats) -> list[Score]:
        """Return the scores of the vectors (m, d) of `rows`."""
        predictions = zip(self._sets, self.predicted(features), strict=True)
        return [score for rated, predicted in predictions for score in rated.scores(predicted)]

    def predicted(self, features: Floats) -> list[npt.NDArray[np.float64]]:
        """Return the cosine of each known pair of each set."""
        return [cosines(features[pairs[:, 0]], features[pairs[:, 1]]) for pairs in self.pairs]


class WordSimilarity(PairSimilarity):
    """The scores of PairSimilarity for word pairs, with the mean over the sets and the score over all pooled pairs.

    The paper reports the pooled score; the authors' code computes the mean. As in the paper, pooled ratings keep the
    scale of their set.

    Args:
        sets: sets of pairs, at least one.
        known: the words that have vectors.
    """

    def __init__(self, sets: Sequence[WordPairs], known: KnownWords) -> None:
        super().__init__(sets, known)
        ratings = np.concatenate([rated.values for rated in self._sets])
        self._pooled = Ratings(ratings)
        self._resampled = ResampledRatings(ratings, np.concatenate([rated.counts for rated in self._sets], axis=1))
        self._total = sum(len(s.ratings) for s in sets)

    def scores(self, features: Floats) -> list[Score]:
        """Return the scores of the vectors (m, d) of `rows`."""
        scores = super().scores(features)
        spearman_scores = [score for score in scores if score.metric == "spearman"]
        all_predicted = np.concatenate(self.predicted(features))
        means = np.mean([score.resampled for score in spearman_scores], axis=0)
        figures = {
            "spearman-mean": (float(np.mean([score.value for score in spearman_scores])), means),
            "spearman-pooled": (self._pooled.spearman(all_predicted), self._resampled.spearman(all_predicted)),
        }
        items, coverage = len(all_predicted), len(all_predicted) / self._total
        return scores + [
            Score("word-similarity", metric, value, items, coverage, **over_items(resampled))
            for metric, (value, resampled) in figures.items()
        ]


class _Rated:
    """The known pairs of a set."""

    def __init__(self, name: str, ratings: npt.NDArray[np.float64], usable: npt.NDArray[np.bool_]) -> None:
        self.name, self.values, self.coverage = name, ratings[usable], float(usable.mean())
        require_items(name, len(self.values), 2, f"pairs (of {len(ratings):,})")
        self.counts = item_counts(name, len(self.values))
        self._ratings, self._resampled = Ratings(self.values), ResampledRatings(self.values, self.counts)

    def scores(self, predicted: npt.NDArray[np.float64]) -> list[Score]:
        """Return the scores of the cosines (m,) of the known pairs."""
        figures = {
            "spearman": (self._ratings.spearman(predicted), self._resampled.spearman(predicted)),
            "pearson": (self._ratings.pearson(predicted), self._resampled.pearson(predicted)),
        }
        return [
            Score(self.name, metric, value, len(predicted), self.coverage, **over_items(resampled))
            for metric, (value, resampled) in figures.items()
        ]
