"""Neighbours kept: the share of a row's true nearest neighbours that are still its nearest in the noisy table."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nadp.embeddings import Floats, Ids
from nadp.known_words import KnownWords
from nadp.scores import Score
from nadp.search.exact import exact_neighbours
from nadp.utility.base import WordRows, require_items
from nadp.utility.resampling import item_counts, over_items

_SEED = 0
METRIC = "neighbours-kept"


@dataclass(frozen=True)
class NeighbourQueries:
    """Rows whose neighbours are compared.

    Attributes:
        name: name of the benchmark.
        keys: the ids of the rows; empty for a random sample.
        sample: largest number of rows.
        count: number of neighbours of each row.
    """

    name: str
    keys: Sequence[str] = ()
    sample: int = 1_000
    count: int = 10

    def words(self) -> set[str]:
        """Return the ids to look up."""
        return set(self.keys)


class NeighboursKept(WordRows):
    """Share of the true nearest neighbours that are found in the noisy table, "neighbours-kept", for each benchmark.

    True neighbours have the least Euclidean distance among all rows without noise. A neighbour that is not released
    counts as lost. Requested rows that are not released lower the coverage.

    Args:
        benchmarks: at least one.
        known: the rows that have vectors.

    Raises:
        InputError: if no row of a benchmark is known.
    """

    def __init__(self, benchmarks: Sequence[NeighbourQueries], known: KnownWords) -> None:
        self.rows = np.flatnonzero(known.released)
        self._sets = [_Queries(benchmark, known, self.rows) for benchmark in benchmarks]

    def scores(self, features: Floats) -> list[Score]:
        """Return the scores of the vectors (m, d) of `rows`."""
        return [queries.score(features) for queries in self._sets]


class _Queries:
    """The queries of a benchmark with their true neighbours, as positions among the released rows."""

    def __init__(self, benchmark: NeighbourQueries, known: KnownWords, rows: Ids) -> None:
        vectors = known.embeddings.vectors
        query_rows = known.rows_of_ids(benchmark.keys) if benchmark.keys else _sample(len(vectors), benchmark.sample)
        released = query_rows[(query_rows >= 0) & known.released[query_rows]]
        require_items(benchmark.name, len(released), 1, f"rows (of {len(query_rows):,})")
        require_items(benchmark.name, len(rows) - 1, benchmark.count, "neighbours")
        self.name, self.coverage, self.count = benchmark.name, len(released) / len(query_rows), benchmark.count
        true, _ = exact_neighbours(vectors, self.count + 1, released)
        position = np.full(len(vectors), -1, dtype=np.int64)
        position[rows] = np.arange(len(rows))
        self.query_positions, self.true_neighbours = position[released], position[true[:, 1:]]

    def score(self, features: Floats) -> Score:
        """Return the share of neighbours kept in a table (m, d) of the released rows."""
        lists, _ = exact_neighbours(features, self.count + 1, self.query_positions)
        share = (lists[:, 1:, None] == self.true_neighbours[:, None, :]).any(axis=2).mean(axis=1)
        resampled = item_counts(self.name, len(share)) @ share / len(share)
        return Score(self.name, METRIC, float(share.mean()), len(share), self.coverage, **over_items(resampled))


def _sample(rows: int, size: int) -> Ids:
    """Return a random sample of rows, the same for all mechanisms and repeats, in ascending order."""
    return np.sort(np.random.default_rng(_SEED).permutation(rows)[:size])
