"""The exponential mechanism over groups: it may output another group's centroid, and near ones more often.

It follows F. McSherry and K. Talwar, "Mechanism design via differential privacy", 2007, with the negative distance as
score. The probability of output o for group g is proportional to exp(-epsilon d(g, o) / 2), so for any two groups g and
h it changes by a factor of at most exp(epsilon d(g, h)). This is metric differential privacy for all pairs of words,
over the distance between their groups' centroids. The same holds for any points in place of the centroids.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from nadp.embeddings import Floats, Ids
from nadp.errors import InputError
from nadp.groups.guarantee import largest_in_group
from nadp.runtime.parallel import for_blocks
from nadp.search.decoding import block_rows

Floats64 = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Exponential:
    """The exponential mechanism over g points.

    Attributes:
        points: (g, d) the outputs.
        epsilon: privacy budget per unit of distance, above 0 and finite.
    """

    points: Floats
    epsilon: float

    def __post_init__(self) -> None:
        if not 0 < self.epsilon < np.inf:
            raise InputError(f"epsilon must be above 0 and finite, not {self.epsilon!r}")

    def chances(self, came_from: Ids | slice) -> Floats64:
        """Return the probability of each output for some points (q,), (q, g); rows sum to 1."""
        weights: Floats64 = np.exp(-self.epsilon / 2 * self.distances(came_from))
        return weights / weights.sum(axis=1, keepdims=True)

    def likelihoods(self, came_out: Ids | slice) -> Floats64:
        """Return the probability of some outputs (q,) given each point, (q, g)."""
        return np.exp(-self.epsilon / 2 * self.distances(came_out)) / self._totals

    def drawn(self, came_from: Ids, uniform: Floats64) -> Ids:
        """Return the outputs for some points, (q,).

        The least probable outputs come first in the cumulative sums. So even an output of probability 1e-30 is drawn
        with this probability, if the uniform numbers are precise near 0; otherwise its absence would identify points.

        Args:
            came_from: (q,) points.
            uniform: (q,) independent uniform numbers between 0 and 1, precise near 0.
        """
        outputs = np.empty(len(came_from), dtype=np.int64)
        distinct, counts = np.unique(came_from, return_counts=True)
        ends, order = np.cumsum(counts), np.argsort(came_from, kind="stable")

        def work(block: slice) -> None:
            chances = self.chances(distinct[block])
            ascending = np.argsort(chances, axis=1, kind="stable")
            sums = np.cumsum(np.take_along_axis(chances, ascending, axis=1), axis=1)
            for row, index in enumerate(range(len(distinct))[block]):
                positions = order[ends[index] - counts[index] : ends[index]]
                ranks = np.searchsorted(sums[row, :-1], uniform[positions] * sums[row, -1], side="right")
                outputs[positions] = ascending[row, ranks]

        for_blocks(work, len(distinct), block_rows(len(self.points)), "exponential mechanism")
        return outputs

    def attacked(self, labels: npt.NDArray[np.integer], weights: Floats64) -> tuple[float, float]:
        """Return the largest posterior of any word and the recovery of the best attacker, who knows the prior.

        Both are exact, not sampled.

        Args:
            labels: (n,) the point of each word.
            weights: (n,) the true prior, up to a factor.
        """
        top, mass = largest_in_group(labels, weights), np.bincount(labels, weights=weights, minlength=len(self.points))
        best_joint, max_posterior = np.empty(len(self.points)), np.empty(len(self.points))

        def work(block: slice) -> None:
            likelihoods = self.likelihoods(block)
            best_joint[block] = (likelihoods * top).max(axis=1)
            max_posterior[block] = best_joint[block] / (likelihoods @ mass)

        for_blocks(work, len(self.points), block_rows(len(self.points)), "best attacker")
        return float(max_posterior.max()), float(best_joint.sum() / weights.sum())

    def best_success(self, labels: npt.NDArray[np.integer], weights: Floats64) -> float:
        """Return the recovery of the best attacker, who knows the prior; see attacked."""
        return self.attacked(labels, weights)[1]

    @cached_property
    def _totals(self) -> Floats64:
        """(g,) the normalising sum of each point's probabilities."""
        totals = np.empty(len(self.points))

        def work(block: slice) -> None:
            totals[block] = np.exp(-self.epsilon / 2 * self.distances(block)).sum(axis=1)

        for_blocks(work, len(self.points), block_rows(len(self.points)), "sums of the exponential mechanism")
        return totals

    def distances(self, some: Ids | slice) -> Floats64:
        """Return the distances from some points (q,) to all, (q, g)."""
        from scipy.spatial.distance import cdist  # noqa: PLC0415 - slow to import

        distances: Floats64 = cdist(self.points[some].astype(np.float64), self.points.astype(np.float64))
        return distances
