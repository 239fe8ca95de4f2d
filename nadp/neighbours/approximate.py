"""Annoy: an approximate search tuned to a stated recall, with exact distances.

The forest is built by one thread from a fixed seed; Annoy's own distances are never used. Annoy is optional: it is
compiled when it is installed, and everything else works without it.
"""

import importlib.util
import logging
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nadp.embeddings import Floats
from nadp.errors import InputError
from nadp.neighbours.exact import Lists, exact_neighbours, ranked
from nadp.neighbours.lists import measured_recall
from nadp.parallel import for_blocks

_log = logging.getLogger(__name__)
_TREES = 20
_SAMPLE = 500
_SPARE = 2  # candidates beyond those asked for: the point itself may be missing from its own answer
_EVERYTHING = 1 << 30  # a search_k that leaves nothing out
_BLOCK = 512


def annoy_is_installed() -> bool:
    """Return whether the optional package annoy can be imported."""
    return importlib.util.find_spec("annoy") is not None


@dataclass(frozen=True, eq=False)
class AnnoyLists:
    """What the tuned forest found: lists as exact_neighbours returns them, and how they were come by."""

    lists: Lists
    recall: float
    trees: int
    search_k: int


def annoy_neighbours(points: Floats, n_neighbours: int, recall: float, seed: int) -> AnnoyLists:
    """Return the lists of all points, with search_k doubled until a sample of 500 rows reaches the wanted recall.

    Args:
        points: (p, d) float32.
        n_neighbours: length of the lists, the point itself included.
        recall: share of the true neighbours to be found, 0 < recall <= 1.
        seed: of the forest and of the sample.
    """
    forest = _Forest(points, n_neighbours, seed)
    sample = np.sort(np.random.default_rng(seed).permutation(len(points))[:_SAMPLE])
    truth, _ = exact_neighbours(points, n_neighbours, sample)
    search_k = n_neighbours * _TREES
    while True:
        reached = measured_recall(forest.lists(sample, search_k)[0], truth)
        _log.info("annoy: search_k=%d finds %.3f of the neighbours (wanted %.3f)", search_k, reached, recall)
        if reached >= recall or search_k > 2 * _TREES * len(points):
            break
        search_k *= 2
    return AnnoyLists(forest.lists(np.arange(len(points)), search_k), reached, _TREES, search_k)


class _Forest:
    """An Annoy index over points, asked for whole lists."""

    def __init__(self, points: Floats, n_neighbours: int, seed: int) -> None:
        if not annoy_is_installed():
            raise InputError(
                "search='annoy' needs the package annoy (pip install 'nadp[annoy]'), or use search='exact'"
            )
        from annoy import AnnoyIndex  # noqa: PLC0415 - optional, compiled at installation

        self.points, self.n_neighbours = points, n_neighbours
        self.index = AnnoyIndex(points.shape[1], "euclidean")
        self.index.set_seed(seed)
        for i, vector in enumerate(points):
            self.index.add_item(i, vector)
        _log.info("annoy: building %d trees over %d vectors", _TREES, len(points))
        self.index.build(_TREES, n_jobs=1)

    def lists(self, rows: npt.NDArray[np.int64], search_k: int) -> Lists:
        indices = np.empty((len(rows), self.n_neighbours), dtype=np.int32)
        distances = np.empty((len(rows), self.n_neighbours))

        def work(block: slice) -> None:
            chosen = rows[block]
            candidates = np.array([self._candidates(int(row), search_k) for row in chosen])
            indices[block], distances[block] = ranked(self.points, chosen, candidates, self.n_neighbours)

        for_blocks(work, len(rows), _BLOCK, "annoy's lists")
        return indices, distances

    def _candidates(self, row: int, search_k: int) -> list[int]:
        wanted = self.n_neighbours - 1 + _SPARE
        found = [j for j in self.index.get_nns_by_item(row, wanted, search_k) if j != row]
        if len(found) < self.n_neighbours - 1:
            found = [j for j in self.index.get_nns_by_item(row, wanted, _EVERYTHING) if j != row]
        return found + [-1] * (wanted - len(found))
