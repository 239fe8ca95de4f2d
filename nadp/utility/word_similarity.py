"""Word similarity: do cosines order pairs of words as people do (appendix A, "Word Similarity")."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nadp.embeddings import Floats
from nadp.known_words import KnownWords, both_cases
from nadp.scores import Score
from nadp.utility.base import WordRows, compact
from nadp.utility.correlation import Ratings
from nadp.utility.cosine import cosines
from nadp.utility.resampling import ResampledRatings, item_counts, kept


@dataclass(frozen=True, eq=False)
class WordPairs:
    """Pairs of words with ratings by people, m of them."""

    name: str
    first: Sequence[str]
    second: Sequence[str]
    ratings: npt.NDArray[np.float64]

    def words(self) -> set[str]:
        """Return the words that are needed, also in lower case."""
        return both_cases([*self.first, *self.second])


class WordSimilarity(WordRows):
    """Spearman's correlation of cosines and ratings: for each set, their mean, and over the pooled pairs.

    The paper's figure is the pooled one, the authors' code computes the mean. Pairs with an unknown word are left
    out and show in the coverage. Ratings are pooled as they are, each set on its own scale, as the paper has it.

    Args:
        sets: sets of pairs, at least one.
        known: the words that have vectors.
    """

    def __init__(self, sets: Sequence[WordPairs], known: KnownWords) -> None:
        both = [np.column_stack([known.rows(s.first), known.rows(s.second)]) for s in sets]
        usable = [(rows >= 0).all(axis=1) for rows in both]
        self.names = [s.name for s in sets]
        self.rows, self.pairs = compact(*(rows[u] for rows, u in zip(both, usable, strict=True)))
        ratings = [s.ratings[u] for s, u in zip(sets, usable, strict=True)]
        self.ratings, self.pooled = [Ratings(own) for own in ratings], Ratings(np.concatenate(ratings))
        self.totals = [len(s.ratings) for s in sets]
        counts = [item_counts(name, len(own)) for name, own in zip(self.names, ratings, strict=True)]
        self._resampled = [ResampledRatings(r, c) for r, c in zip(ratings, counts, strict=True)]
        self._pooled = ResampledRatings(np.concatenate(ratings), np.concatenate(counts, axis=1))

    def scores(self, features: Floats) -> list[Score]:
        """Return the scores of the vectors (m, d) of `rows`."""
        predicted = [cosines(features[pairs[:, 0]], features[pairs[:, 1]]) for pairs in self.pairs]
        each = [
            Score(name, "spearman", ratings.spearman(p), len(p), len(p) / total)
            for name, p, ratings, total in zip(self.names, predicted, self.ratings, self.totals, strict=True)
        ]
        items, coverage = sum(map(len, predicted)), sum(map(len, predicted)) / sum(self.totals)
        mean = float(np.mean([score.value for score in each]))
        together = np.concatenate(predicted)
        pooled = self.pooled.spearman(together)
        means = np.mean([r.spearman(p) for r, p in zip(self._resampled, predicted, strict=True)], axis=0)
        return [
            *each,
            Score("word-similarity", "spearman-mean", mean, items, coverage, resampled=kept(means)),
            Score(
                "word-similarity",
                "spearman-pooled",
                pooled,
                items,
                coverage,
                resampled=kept(self._pooled.spearman(together)),
            ),
        ]
