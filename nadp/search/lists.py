"""Neighbour lists and their recall."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, eq=False)
class NearestNeighbours:
    """The nearest neighbours of each of p points, in ascending order of distance, ties by the order of the points.

    Attributes:
        indices: (p, k) int32; column 0 is the point itself.
        distances: (p, k) float64 Euclidean distances, computed from the vectors in float64.
        search: "exact", "annoy" or "nndescent".
        recall: share of the true neighbours in the lists, measured on a sample; 1.0 for exact search.
        details: the parameters to which the search was tuned.
    """

    indices: npt.NDArray[np.int32]
    distances: npt.NDArray[np.float64]
    search: str = "exact"
    recall: float = 1.0
    details: str = ""

    def __len__(self) -> int:
        return len(self.indices)

    @property
    def n_neighbours(self) -> int:
        """Length of a list, the point itself included."""
        return self.indices.shape[1]


def measured_recall(found: npt.NDArray[np.int32], truth: npt.NDArray[np.int32]) -> float:
    """Return the share of the true neighbours (q, k), without the point itself, among the found ones (q, k)."""
    hits = (truth[:, 1:, None] == found[:, None, 1:]).any(axis=2)
    return float(hits.mean()) if hits.size else 1.0
