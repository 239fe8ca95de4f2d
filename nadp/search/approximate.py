"""Annoy, tuned to a stated recall: a forest proposes candidates, rounds over neighbours of neighbours better them.

The forest is built by one thread from a fixed seed; distances are computed from the vectors in float64. Annoy is
optional: it is compiled when it is installed, and everything else works without it.
"""

import importlib.util
import logging
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from nadp.embeddings import Floats
from nadp.errors import InputError
from nadp.runtime.parallel import for_blocks
from nadp.search.exact import Lists, exact_neighbours, ranked, unit_of_length
from nadp.search.lists import measured_recall
from nadp.search.refinement import Candidates, refined

_log = logging.getLogger(__name__)
_TREES = 10
_SAMPLE = 500
_WIDTH, _WIDEST = 32, 128  # candidates of each point that the rounds work on
_EVERYTHING = 1 << 30  # a search_k that leaves nothing out
_BLOCK = 512


def annoy_is_installed() -> bool:
    """Return whether the optional package annoy can be imported."""
    return importlib.util.find_spec("annoy") is not None


@dataclass(frozen=True, eq=False)
class AnnoyLists:
    """What was found.

    Attributes:
        lists: indices and distances, as exact_neighbours returns them.
        recall: share of the true neighbours, on a sample.
        details: how they were come by, in words.
    """

    lists: Lists
    recall: float
    details: str


def annoy_neighbours(points: Floats, n_neighbours: int, recall: float, seed: int) -> AnnoyLists:
    """Return the lists of all points, bettered until a sample of 500 rows has the wanted recall.

    The forest is asked for few candidates; rounds over neighbours of neighbours better them (see refined). Where a
    round brings little, each point is given twice as many candidates; where that is not enough, the search is exact.

    Args:
        points: (p, d) float32.
        n_neighbours: length of the lists, the point itself included.
        recall: share of the true neighbours to be found, 0 < recall <= 1.
        seed: of the forest and of the sample.
    """
    if power := unit_of_length(points):
        found = annoy_neighbours(np.ldexp(points, -power), n_neighbours, recall, seed)
        return replace(found, lists=(found.lists[0], np.ldexp(found.lists[1], power)))
    sample = np.sort(np.random.default_rng(seed).permutation(len(points))[:_SAMPLE])
    truth, _ = exact_neighbours(points, n_neighbours, sample)
    width = max(1, min(max(_WIDTH, 2 * n_neighbours), len(points) - 1))
    asked = f"trees {_TREES}, wanted recall {recall:g}"
    proposed = _Forest(points, seed).candidates(width, n_neighbours - 1)
    widest = max(_WIDEST, width)
    for rounds, candidates in enumerate(chain([proposed], refined(points, proposed, n_neighbours - 1, widest))):
        indices, _ = ranked(points, sample, candidates[sample], n_neighbours)
        reached = measured_recall(indices, truth)
        _log.info("annoy: candidates %d, rounds %d: %.3f of the neighbours", candidates.shape[1], rounds, reached)
        if reached >= recall:
            details = f"rounds {rounds}, candidates {candidates.shape[1]}, {asked}"
            return AnnoyLists(_all_ranked(points, candidates, n_neighbours), reached, details)
    _log.info("annoy: recall %g is out of its reach, the search is exact instead", recall)
    return AnnoyLists(exact_neighbours(points, n_neighbours), 1.0, f"exact after {rounds} rounds, {asked}")


def _all_ranked(points: Floats, candidates: Candidates, n_neighbours: int) -> Lists:
    indices = np.empty((len(points), n_neighbours), dtype=np.int32)
    distances = np.empty((len(points), n_neighbours))

    def work(block: slice) -> None:
        rows = np.arange(block.start, block.stop)
        indices[block], distances[block] = ranked(points, rows, candidates[block], n_neighbours)

    for_blocks(work, len(points), _BLOCK, "distances")
    return indices, distances


class _Forest:
    """An Annoy index over points."""

    def __init__(self, points: Floats, seed: int) -> None:
        if not annoy_is_installed():
            raise InputError(
                "search='annoy' needs the package annoy (pip install 'nadp[annoy]'), or use search='exact'"
            )
        from annoy import AnnoyIndex  # noqa: PLC0415 - optional, compiled at installation

        self.index = AnnoyIndex(points.shape[1], "euclidean")
        self.index.set_seed(seed)
        for i, vector in enumerate(points):
            self.index.add_item(i, vector)
        _log.info("annoy: building %d trees over %d vectors", _TREES, len(points))
        self.index.build(_TREES, n_jobs=1)

    def candidates(self, width: int, needed: int) -> Candidates:
        """Return points near each one, (p, width); -1 where the forest gives fewer, beyond the needed ones."""
        found = np.full((self.index.get_n_items(), width), -1, dtype=np.int32)

        def work(block: slice) -> None:
            for row in range(block.start, block.stop):
                near = self._near(row, width, needed)
                found[row, : len(near)] = near

        for_blocks(work, len(found), _BLOCK, "annoy's candidates")
        return found

    def _near(self, row: int, width: int, needed: int) -> list[int]:
        found: list[int] = []
        for search_k in (_TREES * width, _EVERYTHING):
            if len(found) < needed:  # the point itself may be in its own answer
                found = [j for j in self.index.get_nns_by_item(row, width + 1, search_k) if j != row]
        return found[:width]
