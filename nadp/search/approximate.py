"""Approximate search to a stated recall: candidates from Annoy or NN-descent are first tested on a sample.

Distances are computed from the vectors in float64. If no candidates reach the recall, the search is exact.
"""

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np

from nadp.embeddings import Floats, Ids
from nadp.runtime.parallel import for_blocks
from nadp.search import descent, forest
from nadp.search.exact import Lists, exact_neighbours, ranked, unit_of_length
from nadp.search.lists import measured_recall
from nadp.search.tiles import Candidates

Approximate = Literal["annoy", "nndescent"]

_log = logging.getLogger(__name__)
_FEW = 1_000  # points; up to here, exact search is quick
_SAMPLE = 500
_WIDTH, _WIDEST = 24, 96  # neighbours of each point that NN-descent keeps
_NODES = 4_000  # of Annoy's trees: tried even if exact search is faster, which costs seconds
_SHARE = 16  # a distance from a product takes less than a sixteenth of the time of a distance in Annoy
_COMPILING_PAYS = 100_000  # points; for fewer, Annoy is done before NN-descent is compiled
_BLOCK = 512


@dataclass(frozen=True, eq=False)
class ApproximateLists:
    """The result of the search.

    Attributes:
        lists: indices and distances, as exact_neighbours returns them.
        recall: share of the true neighbours, on a sample.
        details: how they were found.
    """

    lists: Lists
    recall: float
    details: str


@dataclass(frozen=True, eq=False)
class _Proposal:
    """A way to find candidates: its description, and a function that returns the candidates of rows."""

    details: str
    of_rows: Callable[[Ids], Candidates]


def approximate_neighbours(
    points: Floats, n_neighbours: int, method: Approximate, recall: float, seed: int
) -> ApproximateLists:
    """Return the lists of all points; effort increases until a sample has the wanted recall.

    Annoy's forest searches more and more nodes. With many points, NN-descent instead starts from its lists, if
    pynndescent is installed. NN-descent doubles the number of neighbours that it keeps in a second pass, and again in a
    third. If this is not enough, the search is exact.

    Args:
        points: (p, d) float32.
        n_neighbours: length of the lists, the point itself included.
        method: method that finds the candidates.
        recall: share of the true neighbours to be found, 0 < recall <= 1.
        seed: seed of the method and of the sample.

    Raises:
        InputError: if the package of the method is not installed.
    """
    if power := unit_of_length(points):
        scaled = approximate_neighbours(np.ldexp(points, -power), n_neighbours, method, recall, seed)
        return replace(scaled, lists=(scaled.lists[0], np.ldexp(scaled.lists[1], power)))
    proposals = _PROPOSALS[method](points, n_neighbours, seed)
    sample = np.sort(np.random.default_rng(seed).permutation(len(points))[:_SAMPLE])
    truth, _ = exact_neighbours(points, n_neighbours, sample)
    for proposal in proposals if len(points) > _FEW else ():
        indices, _ = ranked(points, sample, proposal.of_rows(sample), n_neighbours)
        reached_recall = measured_recall(indices, truth)
        _log.info("%s finds %.3f of the neighbours; the recall must be %g", proposal.details, reached_recall, recall)
        if reached_recall >= recall:
            lists = _all_ranked(points, proposal.of_rows, n_neighbours)
            return ApproximateLists(lists, reached_recall, f"{proposal.details}, wanted recall {recall:g}")
    _log.info("%s does not reach this recall: exact search for %d vectors instead", method, len(points))
    return ApproximateLists(exact_neighbours(points, n_neighbours), 1.0, f"exact, wanted recall {recall:g}")


def _all_ranked(points: Floats, candidates: Callable[[Ids], Candidates], n_neighbours: int) -> Lists:
    """Return the lists of all points from their candidates; for points with too few, search exactly."""
    indices = np.empty((len(points), n_neighbours), dtype=np.int32)
    distances = np.empty((len(points), n_neighbours))

    def work(block: slice) -> None:
        rows = np.arange(block.start, block.stop)
        indices[block], distances[block] = ranked(points, rows, candidates(rows), n_neighbours)

    for_blocks(work, len(points), _BLOCK, "distances")
    incomplete = np.flatnonzero(indices[:, -1] < 0)
    indices[incomplete], distances[incomplete] = exact_neighbours(points, n_neighbours, incomplete)
    return indices, distances


def _of_annoy(points: Floats, n_neighbours: int, seed: int) -> Iterator[_Proposal]:
    trees = forest.Forest(points, seed)
    width = max(_WIDTH, 2 * n_neighbours)
    nodes = forest.TREES * width
    yield _Proposal(f"annoy, {forest.TREES} trees, {nodes} nodes", lambda rows: trees.near(rows, width, nodes))
    if len(points) > _COMPILING_PAYS and descent.is_installed():
        all_candidates = np.empty((len(points), width), dtype=np.int32)

        def work(block: slice) -> None:
            all_candidates[block] = trees.near(np.arange(block.start, block.stop), width, nodes)

        for_blocks(work, len(points), _BLOCK, "annoy's candidates")
        del trees
        for proposal in _descents(points, n_neighbours, seed, all_candidates):
            yield replace(proposal, details=f"annoy, {forest.TREES} trees, then {proposal.details}")
        return
    while (nodes := 2 * nodes) <= max(_NODES, len(points) // _SHARE):
        near = partial(trees.near, width=width, nodes=nodes)
        yield _Proposal(f"annoy, {forest.TREES} trees, {nodes} nodes", near)


def _of_nndescent(points: Floats, n_neighbours: int, seed: int) -> Iterator[_Proposal]:
    descent.check_installed()
    return _descents(points, n_neighbours, seed, None)


def _descents(points: Floats, n_neighbours: int, seed: int, start: Candidates | None) -> Iterator[_Proposal]:
    width = max(_WIDTH, 2 * n_neighbours)
    while width <= max(_WIDEST, 4 * n_neighbours) and width < len(points):
        start = descent.neighbours(points, width, seed, start)
        yield _Proposal(f"NN-descent with {width} neighbours", start.__getitem__)
        width *= 2


_PROPOSALS: dict[Approximate, Callable[[Floats, int, int], Iterator[_Proposal]]] = {
    "annoy": _of_annoy,
    "nndescent": _of_nndescent,
}
