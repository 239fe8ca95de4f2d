"""Products of many points, a tile at a time, small enough to stay in the cache."""

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from nadp.embeddings import Floats, Ids
from nadp.search.kernels import keep_smallest

Candidates = npt.NDArray[np.int32] | Ids
"""Points near each of some points, (q, c)."""

ROWS = 256
"""Rows per block."""
_COLUMNS = 2048


def tiles(columns: int) -> Iterator[slice]:
    """Return slices that cover a number of columns."""
    return (slice(start, min(start + _COLUMNS, columns)) for start in range(0, columns, _COLUMNS))


def nothing_yet(*shape: int) -> tuple[Ids, Floats]:
    """Return initial columns and scores (..., k) for keep_smallest."""
    return np.full(shape, -1, dtype=np.int64), np.full(shape, np.inf, dtype=np.float32)


def smallest(scores: Callable[[slice], Floats], columns: int, skip: Ids, count: int) -> tuple[Ids, Floats]:
    """Return the columns of the smallest scores of some rows, and these scores, ascending, (q, count) both.

    Ties are in column order. If fewer columns have a finite score, the rest are -1 with an infinite score.

    Args:
        scores: returns the scores (q, t) float32 of a slice of the columns.
        columns: their number.
        skip: (q,) a column of each row to leave out; -1 for none.
        count: number of columns to return.
    """
    best_columns, best = nothing_yet(len(skip), count)
    for tile in tiles(columns if count else 0):
        keep_smallest(scores(tile), tile.start, skip, best_columns, best)
    return best_columns, best


def products(rows: npt.NDArray[np.float32], points: Floats, half: Floats) -> Callable[[slice], Floats]:
    """Return a function for half[j] - rows . points[j] of a slice of the points, (q, t)."""

    def scores(tile: slice) -> Floats:
        product = rows @ points[tile].T
        return np.subtract(half[tile], product, out=product)

    return scores
