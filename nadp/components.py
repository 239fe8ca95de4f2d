"""Neighbourhoods: the connected components of the graph (Algorithm 2) and their sensitivities."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import get_args

import numpy as np
import numpy.typing as npt

from nadp.choices import Isolated
from nadp.errors import InputError, NoSensitivityError, one_of
from nadp.graph import NeighbourGraph
from nadp.search import NearestNeighbours


@dataclass(frozen=True, eq=False)
class Neighbourhoods:
    """The components of a graph over p points.

    Attributes:
        graph: the graph, with the edges that `isolated="nearest"` added.
        labels: (p,) int32, the component of each point.
        isolated: the policy for isolated points.
        was_isolated: (p,) bool, whether the point was isolated in the graph of Algorithm 1.
    """

    graph: NeighbourGraph
    labels: npt.NDArray[np.int32]
    isolated: Isolated
    was_isolated: npt.NDArray[np.bool_]

    @cached_property
    def sizes(self) -> npt.NDArray[np.int64]:
        """(k,) number of points of each component."""
        return np.bincount(self.labels)

    def longest(self, lengths: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return the longest edge of each component, (k,), given lengths (e,) of the edges; 0 without edges."""
        longest = np.zeros(len(self.sizes))
        np.maximum.at(longest, self.labels[self.graph.edges[:, 0]], lengths)
        return longest

    @cached_property
    def sensitivity(self) -> npt.NDArray[np.float64]:
        """(k,) L2 sensitivity of each component: its longest edge (Theorem 3); isolated points by their policy."""
        longest = self.longest(self.graph.lengths)
        return np.where(longest > 0, longest, self.global_sensitivity) if self.isolated == "global" else longest

    @cached_property
    def global_sensitivity(self) -> float:
        """The longest edge of the whole graph.

        Raises:
            NoSensitivityError: if the graph has no edge.
        """
        if not len(self.graph):
            raise NoSensitivityError(
                f"the neighbour graph has no edge at tau={self.graph.tau:g}, so there is no sensitivity: "
                "choose a smaller tau, or isolated='nearest'"
            )
        return float(self.graph.lengths.max())

    @cached_property
    def released(self) -> npt.NDArray[np.bool_]:
        """(p,) whether a point is part of a release: all are, unless the policy drops isolated ones."""
        return ~self.was_isolated if self.isolated == "drop" else np.ones(len(self.labels), dtype=bool)


def neighbourhoods(
    graph: NeighbourGraph, neighbours: NearestNeighbours, isolated: Isolated = "nearest"
) -> Neighbourhoods:
    """Return the connected components of a graph (Algorithm 2) under a policy for isolated points.

    The paper adds no noise to an isolated word. The policies:
    "nearest": each is joined to its nearest other point, then the components are computed again;
    "global": each gets noise scaled to the sensitivity of the whole graph, but no guarantee;
    "drop": each is left out of the release;
    "exact": no noise, as in the paper, read literally.

    Args:
        graph: Algorithm 1's graph over p points.
        neighbours: the lists from which it was made.
        isolated: the policy.

    Raises:
        InputError: if the policy is unknown, or there is only one distinct point.
    """
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415 - slow to import

    if isolated not in get_args(Isolated):
        raise InputError(f"isolated {one_of(isolated, get_args(Isolated))}")
    if graph.n_points < 2 or neighbours.n_neighbours < 2:
        raise InputError(
            "all words share one vector (or neighbour lists hold only the word itself): nothing to protect"
        )
    is_isolated = np.ones(graph.n_points, dtype=bool)
    is_isolated[graph.edges.ravel()] = False
    if isolated == "nearest":
        graph = _joined_to_nearest(graph, neighbours, np.flatnonzero(is_isolated))
    _, labels = connected_components(graph.matrix(), directed=False)
    return Neighbourhoods(graph, labels.astype(np.int32), isolated, is_isolated)


def _joined_to_nearest(
    graph: NeighbourGraph, neighbours: NearestNeighbours, points: npt.NDArray[np.int64]
) -> NeighbourGraph:
    """Return the graph with an edge from each of some points to its nearest other point."""
    added = np.sort(np.column_stack([points, neighbours.indices[points, 1]]), axis=1).astype(np.int32)
    edges, first = np.unique(np.concatenate([graph.edges, added]), axis=0, return_index=True)
    lengths = np.concatenate([graph.lengths, neighbours.distances[points, 1]])
    return replace(graph, edges=edges, lengths=lengths[first])
