"""Annoy's forest: candidates near a point. Annoy is optional, because its installation needs a compiler.

One thread builds the forest from a seed: with several, each build would differ.
"""

import importlib.util
import logging

import numpy as np
import numpy.typing as npt

from nadp.embeddings import Floats, Ids
from nadp.errors import InputError

_log = logging.getLogger(__name__)
TREES = 10
_BLOCK = 1024


def is_installed() -> bool:
    """Return whether the optional package annoy can be imported."""
    return importlib.util.find_spec("annoy") is not None


class Forest:
    """An Annoy index.

    Args:
        points: (p, d) float32.
        seed: seed of the trees.

    Raises:
        InputError: if annoy is not installed.
    """

    def __init__(self, points: Floats, seed: int) -> None:
        if not is_installed():
            raise InputError(
                "search='annoy' needs the package annoy (pip install 'nadp[annoy]'), or use search='exact'"
            )
        from annoy import AnnoyIndex  # noqa: PLC0415 - optional, compiled at installation

        self._index = AnnoyIndex(points.shape[1], "euclidean")
        self._index.set_seed(seed)
        for start in range(0, len(points), _BLOCK):
            for i, vector in enumerate(points[start : start + _BLOCK].tolist(), start):
                self._index.add_item(i, vector)
        _log.info("annoy: building %d trees over %d vectors", TREES, len(points))
        self._index.build(TREES, n_jobs=1)

    def near(self, rows: Ids, width: int, nodes: int) -> npt.NDArray[np.int32]:
        """Return other points near some points, (q, width), the nearest first; -1 where the trees return fewer.

        Args:
            rows: (q,) the queries.
            width: number of points for each.
            nodes: number of tree nodes to search.
        """
        lists = np.full((len(rows), width), -1, dtype=np.int32)
        for i, row in enumerate(rows.tolist()):
            near = [j for j in self._index.get_nns_by_item(row, width + 1, nodes) if j != row][:width]
            lists[i, : len(near)] = near
        return lists
