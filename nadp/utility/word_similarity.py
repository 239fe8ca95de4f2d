"""Word similarity: do cosines order pairs of words as people do (appendix A, "Word Similarity")."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nadp.embeddings import Floats, Ids
from nadp.scores import Score
from nadp.utility.correlation import spearman
from nadp.utility.cosine import cosines


@dataclass(frozen=True, eq=False)
class WordPairs:
    """Pairs of words with ratings by people, m of them."""

    name: str
    first: Sequence[str]
    second: Sequence[str]
    ratings: npt.NDArray[np.float64]

    def words(self) -> set[str]:
        """Return the words that are needed, also in lower case."""
        words = {*self.first, *self.second}
        return words | {word.lower() for word in words}


@dataclass(frozen=True, eq=False)
class KnownPairs:
    """The pairs of one set whose words are both known, as rows of an embedding."""

    name: str
    rows: Ids
    ratings: npt.NDArray[np.float64]
    coverage: float


def known_pairs(pairs: WordPairs, first: Ids, second: Ids) -> KnownPairs:
    """Return the pairs whose words have rows: `first` and `second` are (m,) rows, -1 for an unknown word."""
    known = (first >= 0) & (second >= 0)
    rows = np.column_stack([first, second])[known]
    return KnownPairs(pairs.name, rows, pairs.ratings[known], float(known.mean()) if len(known) else 0.0)


def word_similarity(sets: Sequence[KnownPairs], vectors: Floats) -> list[Score]:
    """Return Spearman's correlation of cosines and ratings: for each set, their mean, and over the pooled pairs.

    The paper's figure is the pooled one, the authors' code computes the mean. Pairs with an unknown word are left
    out and show in the coverage. Ratings are pooled as they are, each set on its own scale, as the paper has it.

    Args:
        sets: known pairs of each set.
        vectors: (n, d) the embedding that the rows point into.
    """
    predicted = [cosines(vectors[s.rows[:, 0]], vectors[s.rows[:, 1]]) for s in sets]
    each = [
        Score(s.name, "spearman", spearman(p, s.ratings), len(p), s.coverage)
        for s, p in zip(sets, predicted, strict=True)
    ]
    if not sets:
        return []
    items = sum(score.items for score in each)
    total = sum(score.items / score.coverage for score in each if score.coverage)
    coverage = items / total if total else 0.0
    pooled = spearman(np.concatenate(predicted), np.concatenate([s.ratings for s in sets]))
    return [
        *each,
        Score("word-similarity", "spearman-mean", float(np.mean([s.value for s in each])), items, coverage),
        Score("word-similarity", "spearman-pooled", pooled, items, coverage),
    ]
