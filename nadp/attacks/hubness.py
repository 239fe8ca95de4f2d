"""How many different words the noisy vectors decode to, and whether a few words attract most of them."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nadp.attacks.overlap import skewness


@dataclass(frozen=True)
class Hubness:
    """Figures of the decoded words.

    Attributes:
        distinct: number of different decoded points, divided by the number of noisy vectors.
        largest: share of the vectors that decode to the most frequent point.
        skewness: skewness of the number of decoded lists that each point is in (k-occurrence; Radovanovic 2010).
    """

    distinct: float
    largest: float
    skewness: float


def hubness(nearest: npt.NDArray[np.int32], n_points: int) -> Hubness:
    """Return the hubness of the points nearest to each noisy vector, (q, k), the nearest first.

    Args:
        nearest: as nearest_points returns it.
        n_points: number of points that could have been found.
    """
    first = np.bincount(nearest[:, 0], minlength=n_points)
    occurrences = np.bincount(nearest.ravel(), minlength=n_points).astype(np.float64)
    return Hubness(float((first > 0).sum() / len(nearest)), float(first.max() / len(nearest)), skewness(occurrences))
