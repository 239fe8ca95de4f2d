"""Better lists from fair ones: a neighbour of a neighbour is likely a neighbour.

After W. Dong, M. Charikar and K. Li, "Efficient k-nearest neighbor graph construction for generic similarity
measures", WWW 2011 (NN-Descent): rounds over all points, each from the lists of the round before, so that neither the
number of threads nor the order of the rows changes a result.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from nadp.embeddings import Floats
from nadp.runtime.parallel import for_blocks
from nadp.search.kernels import keep_neighbours_of_neighbours, squared_distances, ways_back

_BLOCK = 1024
_SETTLED = 0.01  # share of the entries at the front that a round must have brought to be followed by its like

Candidates = npt.NDArray[np.int32]


def refined(points: Floats, lists: Candidates, front: int, widest: int) -> Iterator[Candidates]:
    """Yield better and better lists, in ascending order of distance, until they hardly change at their front.

    A point is looked at if a neighbour's list holds it, or if it holds a neighbour in its own; a neighbour is a point
    on the list or one whose list holds the point. When a round brings little, all lists are made twice as wide.

    Args:
        points: (p, d) float32.
        lists: (p, w) other points near each one, in any order; -1 for none.
        front: how many entries matter in the end, at most w.
        widest: as wide as lists may become.
    """
    lists, squared = _sorted(points, lists)
    number = 0
    while True:
        fresh = np.ones(lists.shape, dtype=bool)
        while fresh[:, :front].mean() > _SETTLED:
            number += 1
            lists, squared, fresh = _round(points, lists, squared, fresh, number)
            yield lists
        width = min(2 * lists.shape[1], widest, len(points) - 1)
        if width <= lists.shape[1]:
            return
        more = ((0, 0), (0, width - lists.shape[1]))
        lists, squared = np.pad(lists, more, constant_values=-1), np.pad(squared, more, constant_values=np.inf)


def _round(
    points: Floats, lists: Candidates, squared: Floats, fresh: npt.NDArray[np.bool_], number: int
) -> tuple[Candidates, Floats, npt.NDArray[np.bool_]]:
    back, back_fresh = np.full_like(lists, -1), np.zeros_like(fresh)
    ways_back(lists, fresh, back, back_fresh)
    ways, fresh_ways = np.hstack([lists, back]), np.hstack([fresh, back_fresh])
    found, best, found_fresh = lists.copy(), squared.copy(), np.empty_like(fresh)

    def work(block: slice) -> None:
        keep_neighbours_of_neighbours(
            points, block.start, ways, fresh_ways, found[block], best[block], found_fresh[block]
        )

    for_blocks(work, len(points), _BLOCK, f"neighbours of neighbours, round {number}")
    return found, best, found_fresh


def _sorted(points: Floats, lists: Candidates) -> tuple[Candidates, Floats]:
    """Return lists in ascending order of distance, and the squared distances."""
    lists, squared = lists.copy(), np.empty(lists.shape, dtype=np.float32)

    def work(block: slice) -> None:
        exact = np.empty(lists[block].shape)
        squared_distances(points[block], points, lists[block], exact)
        order = exact.argsort(axis=1, kind="stable")
        lists[block] = np.take_along_axis(lists[block], order, axis=1)
        squared[block] = np.take_along_axis(exact, order, axis=1)

    for_blocks(work, len(points), _BLOCK, "distances of candidates")
    return lists, squared
