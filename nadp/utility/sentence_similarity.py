"""Semantic textual similarity: correlation of sentence centroids' cosines with human ratings (appendix A, "STS")."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nadp.centroids import centroids
from nadp.embeddings import Floats
from nadp.known_words import KnownWords, looked_up
from nadp.scores import Score
from nadp.tokens import TREEBANK, Tokenizer
from nadp.utility.base import require_items
from nadp.utility.correlation import Ratings
from nadp.utility.cosine import cosines
from nadp.utility.declaration import MIXED
from nadp.utility.resampling import ResampledRatings, item_counts, over_items


@dataclass(frozen=True, eq=False)
class SentencePairs:
    """m pairs of sentences with human ratings, and the source of each: "" for a single source, or MIXED."""

    name: str
    first: Sequence[str]
    second: Sequence[str]
    ratings: npt.NDArray[np.float64]
    sources: Sequence[str]
    tokenizer: Tokenizer = TREEBANK

    def tokens(self) -> list[tuple[str, ...]]:
        """Return the tokens of the first sentences, then of the second ones."""
        return [self.tokenizer.tokens(text) for side in (self.first, self.second) for text in side]

    def words(self) -> set[str]:
        """Return the words to look up, in all forms."""
        return looked_up(token for text in self.tokens() for token in text)


class SentenceSimilarity:
    """Correlation of cosines and ratings for each benchmark.

    Over all pairs: "pearson", "spearman", and "geometric-mean", the root of their product (0 if one of them is not
    positive), which is the paper's score for STS-B. If the sources of the pairs are known, also "spearman-weighted" and
    "pearson-weighted": the mean over the sources, weighted by their numbers of pairs, as SentEval computes it. The mean
    of the weighted figures over several benchmarks is the authors' score. If there are several sources, but the source
    of each pair is unknown, the names of the figures over all pairs end in "-pooled". A pair with a sentence without
    known words is left out and lowers the coverage.

    Attributes:
        second_side: (t,) whether a feature belongs to the second sentence of a pair.

    Args:
        benchmarks: at least one.
        known: the words that have vectors.

    Raises:
        InputError: if no two pairs of a benchmark, or of a source, have known words.
    """

    def __init__(self, benchmarks: Sequence[SentencePairs], known: KnownWords) -> None:
        self._matrix, self.rows = centroids([text for b in benchmarks for text in b.tokens()], known)
        sizes = np.diff(self._matrix.indptr) > 0
        self._sets = []
        self.second_side = np.concatenate([np.arange(2 * len(b.ratings)) >= len(b.ratings) for b in benchmarks])
        start = 0
        for benchmark in benchmarks:
            n_pairs = len(benchmark.ratings)
            pairs = np.column_stack([np.arange(n_pairs), np.arange(n_pairs, 2 * n_pairs)]) + start
            usable = np.asarray(sizes[pairs].all(axis=1))
            self._sets.append(_Usable(benchmark, pairs[usable], usable))
            start += 2 * n_pairs

    def features(self, vectors: Floats) -> Floats:
        """Return the centroid of each sentence, (t, d)."""
        return (self._matrix @ vectors).astype(np.float32)

    def scores(self, features: Floats) -> list[Score]:
        """Return the scores of the centroids (t, d) of all sentences."""
        scores = [score for usable_pairs in self._sets for score in usable_pairs.scores(features)]
        weighted = [score for score in scores if score.metric == "spearman-weighted"]
        if len(weighted) > 1:
            items = sum(score.items for score in weighted)
            coverage = items / sum(score.items / score.coverage for score in weighted)
            mean = float(np.mean([score.value for score in weighted]))
            resampled_fields = over_items(np.mean([score.resampled for score in weighted], axis=0))
            scores.append(Score("sts-by-source", "spearman-weighted-mean", mean, items, coverage, **resampled_fields))
        return scores


class _Usable:
    """The pairs of one benchmark whose sentences both have a vector."""

    def __init__(self, benchmark: SentencePairs, pairs: npt.NDArray[np.int64], usable: npt.NDArray[np.bool_]) -> None:
        self.name, self.pairs = benchmark.name, pairs
        ratings = benchmark.ratings[usable]
        require_items(self.name, len(ratings), 2, f"pairs of sentences (of {len(usable):,})")
        self.ratings = Ratings(ratings)
        self.coverage = float(usable.mean())
        sources = np.array(benchmark.sources)[usable]
        self.mixed = bool(len(sources)) and bool((sources == MIXED).all())
        named_sources = [source for source in dict.fromkeys(benchmark.sources) if source not in ("", MIXED)]
        parts = [sources == source for source in named_sources]
        for source, part in zip(named_sources, parts, strict=True):
            require_items(self.name, int(part.sum()), 2, f"pairs of sentences from {source!r}")
        self.parts = [(part, Ratings(ratings[part])) for part in parts]
        self._resampled = _resampled(self.name, ratings, [part for part, _ in self.parts])

    def scores(self, centroid: Floats) -> list[Score]:
        predicted = cosines(centroid[self.pairs[:, 0]], centroid[self.pairs[:, 1]])
        linear, ranked = self.ratings.pearson(predicted), self.ratings.spearman(predicted)
        values = {
            "pearson": linear,
            "spearman": ranked,
            "geometric-mean": float(np.sqrt(max(linear, 0.0) * max(ranked, 0.0))),
        }
        if self.parts:
            sizes = [part.sum() for part, _ in self.parts]
            for name, correlation in {"pearson": Ratings.pearson, "spearman": Ratings.spearman}.items():
                correlations = [correlation(ratings, predicted[part]) for part, ratings in self.parts]
                values[f"{name}-weighted"] = float(np.average(correlations, weights=sizes))
        resampled = self._over_resamples(predicted)
        suffix = "-pooled" if self.mixed else ""
        return [
            Score(
                self.name,
                metric + suffix,
                value,
                len(predicted),
                self.coverage,
                **(over_items(resampled[metric]) if metric in resampled else {}),
            )
            for metric, value in values.items()
        ]

    def _over_resamples(self, predicted: npt.NDArray[np.float64]) -> dict[str, npt.NDArray[np.float64]]:
        """Return the figures over each resample, by metric, (b,)."""
        if self.parts:
            sizes = [part.sum() for part, _ in self.parts]
            resampled_parts = [(r, predicted[part]) for (part, _), r in zip(self.parts, self._resampled, strict=True)]
            return {
                "spearman-weighted": np.average([r.spearman(p) for r, p in resampled_parts], axis=0, weights=sizes),
                "pearson-weighted": np.average([r.pearson(p) for r, p in resampled_parts], axis=0, weights=sizes),
            }
        (all_pairs,) = self._resampled
        linear, ranked = all_pairs.pearson(predicted), all_pairs.spearman(predicted)
        mean = np.sqrt(linear.clip(min=0) * ranked.clip(min=0))
        return {"pearson": linear, "spearman": ranked, "geometric-mean": mean}


def _resampled(
    name: str, ratings: npt.NDArray[np.float64], parts: list[npt.NDArray[np.bool_]]
) -> list[ResampledRatings]:
    """Return the ratings of each source, resampled within it; with a single source, the ratings of all pairs."""
    ratings_by_source = [ratings[part] for part in parts] or [ratings]
    return [ResampledRatings(r, item_counts(f"{name} {i}", len(r))) for i, r in enumerate(ratings_by_source)]
