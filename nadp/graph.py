"""The nearest-neighbour graph of an embedding: Algorithm 1."""

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nadp.errors import InputError
from nadp.search import NearestNeighbours

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_CHUNK = 1 << 16


@dataclass(frozen=True, eq=False)
class NeighbourGraph:
    """An undirected graph over p points: an edge joins two neighbouring points (x ~ y).

    Attributes:
        edges: (e, 2) int32, each edge once, the smaller point first, in ascending order.
        lengths: (e,) float64 Euclidean lengths.
        n_points: p.
        tau: least overlap of two neighbour lists for an edge.
        adjacency: number of first points of a list that count as adjacent, the point itself included.
        n_neighbours: length of the compared lists, the point itself included.
        mutual: whether both points had to be adjacent to each other.
    """

    edges: npt.NDArray[np.int32]
    lengths: npt.NDArray[np.float64]
    n_points: int
    tau: float
    adjacency: int
    n_neighbours: int
    mutual: bool

    def __len__(self) -> int:
        return len(self.edges)

    def matrix(self) -> "csr_array":
        """Return the symmetric (p, p) adjacency matrix of ones."""
        from scipy.sparse import csr_array  # noqa: PLC0415 - slow to import

        directed_edges = np.concatenate([self.edges, self.edges[:, ::-1]])
        ones = np.ones(len(directed_edges), dtype=np.int8)
        return csr_array((ones, (directed_edges[:, 0], directed_edges[:, 1])), shape=(self.n_points, self.n_points))


def neighbour_graph(
    neighbours: NearestNeighbours, *, tau: float, adjacency: int = 2, mutual: bool = False
) -> NeighbourGraph:
    """Return the graph that joins x and y if one is adjacent to the other and their lists overlap by tau or more.

    Conditions (a) and (b) of section 3, Algorithm 1. The overlap is the Jaccard index of the two whole lists, the
    words themselves included. It is compared exactly, as a fraction.

    Args:
        neighbours: lists of p points.
        tau: least overlap, 0 <= tau <= 1.
        adjacency: number of first points of a list that are adjacent to its point, the point itself included; 2 is the
            authors' choice (the nearest other word).
        mutual: whether each must be adjacent to the other.

    Raises:
        InputError: if a parameter is out of range.
    """
    if not (0 <= tau <= 1):
        raise InputError(f"tau must lie between 0 and 1, not {tau!r}")
    if adjacency < 2:
        raise InputError(f"adjacency counts the word itself, so it is at least 2, not {adjacency}")
    indices, size = neighbours.indices, neighbours.n_neighbours
    if adjacency > max(2, size):
        raise InputError(f"adjacency {adjacency} is more than the {size} words of a neighbour list")
    adjacent = indices[:, 1:adjacency]
    pairs = np.column_stack([np.repeat(np.arange(len(indices)), adjacent.shape[1]), adjacent.ravel()]).astype(np.int32)
    lengths = neighbours.distances[:, 1:adjacency].ravel()
    low, high = pairs.min(axis=1), pairs.max(axis=1)
    keys, first, directions = np.unique(
        low.astype(np.int64) * len(indices) + high, return_index=True, return_counts=True
    )
    if mutual:
        keys, first = keys[directions > 1], first[directions > 1]
    edges = np.column_stack([keys // len(indices), keys % len(indices)]).astype(np.int32)
    overlapping = common_neighbours(indices, edges) >= least_common(tau, size)
    return NeighbourGraph(
        edges[overlapping], lengths[first][overlapping], len(indices), float(tau), adjacency, size, mutual
    )


def least_common(tau: float, size: int) -> int:
    """Return the least number j of common points for which j / (2 size - j) >= tau, compared as fractions.

    tau is read as a decimal number: .1 is one tenth, not the nearest binary number.
    """
    exact_tau = Fraction(repr(float(tau)))
    return next(j for j in range(size + 1) if Fraction(j, 2 * size - j) >= exact_tau)


def common_neighbours(indices: npt.NDArray[np.int32], edges: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """Return how many points the lists (p, k) of the two ends of each edge (e, 2) have in common, (e,)."""
    common = np.empty(len(edges), dtype=np.int64)
    for start in range(0, len(edges), _CHUNK):
        first_lists, second_lists = indices[edges[start : start + _CHUNK].T]
        common[start : start + _CHUNK] = (first_lists[:, :, None] == second_lists[:, None, :]).sum(axis=(1, 2))
    return common
