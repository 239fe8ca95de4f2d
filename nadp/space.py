"""An embedding with its neighbourhoods: the input of every mechanism."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from nadp.choices import Isolated, Search
from nadp.components import Neighbourhoods, neighbourhoods
from nadp.embeddings import Embeddings, Ids
from nadp.graph import neighbour_graph
from nadp.search import NearestNeighbours, nearest_neighbours
from nadp.search.decoding import nearest_points

_CHUNK = 1 << 14


@dataclass(frozen=True, eq=False)
class EmbeddingSpace:
    """n words, the neighbour lists of their p distinct vectors, and the neighbourhoods of these vectors."""

    embeddings: Embeddings
    neighbours: NearestNeighbours
    neighbourhoods: Neighbourhoods

    @classmethod
    def build(  # noqa: PLR0913 - the parameters of Algorithms 1 and 2
        cls,
        embeddings: Embeddings,
        *,
        tau: float = 0.1,
        isolated: Isolated = "nearest",
        adjacency: int = 2,
        n_neighbours: int = 10,
        mutual: bool = False,
        search: Search = "exact",
        recall: float = 0.95,
        seed: int = 0,
    ) -> "EmbeddingSpace":
        """Return the space of an embedding; see nearest_neighbours, neighbour_graph and neighbourhoods."""
        points = embeddings.points.vectors
        lists = nearest_neighbours(points, n_neighbours, search=search, recall=recall, seed=seed)
        graph = neighbour_graph(lists, tau=tau, adjacency=adjacency, mutual=mutual)
        return cls(embeddings, lists, neighbourhoods(graph, lists, isolated))

    def __len__(self) -> int:
        return len(self.embeddings)

    @property
    def vectors(self) -> npt.NDArray[np.float32]:
        """(n, d) the vectors without noise."""
        return self.embeddings.vectors

    @property
    def neighbouring(self) -> dict[str, Any]:
        """The parameters that define neighbouring words."""
        graph = self.neighbourhoods.graph
        return {
            "tau": graph.tau,
            "adjacency": graph.adjacency,
            "n_neighbours": graph.n_neighbours,
            "mutual": graph.mutual,
            "isolated": self.neighbourhoods.isolated,
            "search": self.neighbours.search,
            "recall": self.neighbours.recall,
            "words": len(self),
        }

    @cached_property
    def point_of_word(self) -> npt.NDArray[np.int64]:
        """(n,) the point of each word; with as many points as words, no vectors are compared."""
        points = self.neighbourhoods.graph.n_points
        return np.arange(points) if points == len(self) else self.embeddings.points.of_word

    def without_approximate_lists(self) -> "EmbeddingSpace":
        """Return this space; if the search was approximate, its lists hold only the points themselves.

        Once the graph is made, a release and its audit need no lists that may lack a neighbour, and those of millions
        of points take hundreds of megabytes.
        """
        lists = self.neighbours
        if lists.search == "exact":
            return self
        alone = replace(lists, indices=lists.indices[:, :1].copy(), distances=lists.distances[:, :1].copy())
        return replace(self, neighbours=alone)

    def nearest_without_noise(self, words: Ids) -> npt.NDArray[np.int32]:
        """Return the nearest points of some words (q,) without noise, by distance, (q, k): the word itself is first.

        They are the words' lists if these are exact; otherwise all points are compared.
        """
        points = self.embeddings.points
        if self.neighbours.search == "exact":
            return self.neighbours.indices[points.of_word[words]]
        return nearest_points(points.vectors, self.vectors[words], self.neighbourhoods.graph.n_neighbours)

    @cached_property
    def labels(self) -> npt.NDArray[np.int32]:
        """(n,) the component of each word."""
        return self.neighbourhoods.labels[self.point_of_word]

    @cached_property
    def sensitivity(self) -> npt.NDArray[np.float64]:
        """(n,) the L2 sensitivity Delta_i of each word's neighbourhood."""
        return self.neighbourhoods.sensitivity[self.labels]

    @cached_property
    def released(self) -> npt.NDArray[np.bool_]:
        """(n,) whether each word is part of a release."""
        return self.neighbourhoods.released[self.point_of_word]

    @cached_property
    def global_l1_sensitivity(self) -> float:
        """The longest edge of the graph in L1 distance."""
        _ = self.neighbourhoods.global_sensitivity  # refuses a graph without edges
        points, edges = self.embeddings.points.vectors, self.neighbourhoods.graph.edges
        longest = 0.0
        for start in range(0, len(edges), _CHUNK):
            first, second = points[edges[start : start + _CHUNK].T].astype(np.float64)
            longest = max(longest, float(np.abs(first - second).sum(axis=1).max()))
        return longest

    @cached_property
    def density(self) -> npt.NDArray[np.float64]:
        """(n,) eta(x): mean distance to the nearest other points on the word's list (section 4, Jaccard mechanism)."""
        return self.neighbours.distances[:, 1:].mean(axis=1)[self.point_of_word]
