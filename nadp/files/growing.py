"""A growing table of rows in one block of memory."""

import numpy as np

from nadp.embeddings import Floats


class GrowingRows:
    """Rows of numbers that are added in batches.

    Memory grows by an eighth at a time, in place where the system supports it. Joining separate blocks at the end would
    need twice the memory.

    Args:
        dimension: numbers in a row, d.
    """

    def __init__(self, dimension: int) -> None:
        self._rows = _no_rows(dimension)
        self._filled = 0

    def add(self, count: int) -> Floats:
        """Return `count` more rows to be filled, (count, d) float32; they must not be used after the next call."""
        start, self._filled = self._filled, self._filled + count
        if self._filled > len(self._rows):
            self._resize(max(self._filled, len(self._rows) * 9 // 8))
        return self._rows[start : self._filled]

    def take(self) -> Floats:
        """Return all rows, (n, d) float32, and start over without rows."""
        self._resize(self._filled)
        rows = self._rows
        self._rows, self._filled = _no_rows(rows.shape[1]), 0
        return rows

    def _resize(self, count: int) -> None:
        self._rows.resize((count, self._rows.shape[1]), refcheck=False)


def _no_rows(dimension: int) -> Floats:
    return np.empty((0, dimension), dtype=np.float32)
