"""A statistical lower bound on epsilon: can two neighbouring words be distinguished better than the claim allows?

Fresh draws of M(x) and M(x') are compared by the optimal statistic. Each threshold on this statistic is a test, and
Clopper-Pearson bounds on its two error rates give a lower bound on epsilon. A lower bound above the claim disproves the
claim (at the stated confidence); a lower bound below the claim proves nothing.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import betaincinv, ndtri

from nadp.calibration import epsilon_of

_THRESHOLDS = 41
_LEAST_MU = 1e-6


@dataclass(frozen=True)
class LowerBound:
    """The lower bounds that a distinguishing attack proves, at a stated confidence.

    Attributes:
        epsilon: smallest epsilon that the error rates allow at the claimed delta.
        mu: smallest mu of Gaussian differential privacy that the error rates allow.
        epsilon_from_mu: the epsilon of that mu at the claimed delta: sharper, but it assumes Gaussian noise.
        draws: number of draws of each of the two words.
    """

    epsilon: float
    mu: float
    epsilon_from_mu: float
    draws: int


def lower_bound(
    first: npt.NDArray[np.float64], second: npt.NDArray[np.float64], delta: float, confidence: float = 0.99
) -> LowerBound:
    """Return the lower bound on epsilon from the projections of fresh draws of two neighbouring words.

    Half of the draws choose the thresholds, and the other half are counted. The bounds on both errors of all thresholds
    hold jointly at the confidence (Bonferroni).

    Args:
        first: (m,) projections of M(x).
        second: (m,) projections of M(x').
        delta: the claimed delta.
        confidence: confidence that the bound holds.
    """
    split = len(first) // 2
    pooled = np.concatenate([first[:split], second[:split]])
    thresholds = np.quantile(pooled, np.linspace(0.002, 0.998, _THRESHOLDS))
    error = (1 - confidence) / (4 * _THRESHOLDS)
    best_epsilon = best_mu = 0.0
    trials = len(first) - split
    for threshold in thresholds:
        false_alarms = int((first[split:] > threshold).sum())
        detections = int((second[split:] > threshold).sum())
        for hits, misses in ((detections, false_alarms), (trials - false_alarms, trials - detections)):
            power, alarm = _at_least(hits, trials, error), _at_most(misses, trials, error)
            if power > delta:
                best_epsilon = max(best_epsilon, float(np.log((power - delta) / alarm)))
            best_mu = max(best_mu, float(ndtri(power) - ndtri(alarm)))
    epsilon_of_best_mu = epsilon_of(best_mu, delta) if best_mu > _LEAST_MU else 0.0
    return LowerBound(best_epsilon, best_mu, epsilon_of_best_mu, len(first))


def _at_least(hits: int, trials: int, error: float) -> float:
    return float(betaincinv(hits, trials - hits + 1, error)) if hits else 0.0


def _at_most(hits: int, trials: int, error: float) -> float:
    return float(betaincinv(hits + 1, trials - hits, 1 - error)) if hits < trials else 1.0


@dataclass(frozen=True)
class WorstEdge:
    """The edge of the graph with the least noise relative to its length, in a class of component sizes.

    Attributes:
        size: least number of points of the components in this class.
        first: one point.
        second: the other point.
    """

    size: int
    first: int
    second: int


def worst_edges(
    edges: npt.NDArray[np.int32],
    lengths: npt.NDArray[np.float64],
    labels: npt.NDArray[np.int32],
    scale: npt.NDArray[np.float64],
    sizes: tuple[int, ...] = (2, 3, 11, 101),
) -> list[WorstEdge]:
    """Return the edge with the largest ratio of length to noise in each class of component sizes.

    Edges whose two ends have different scales come first: they violate every (epsilon, delta) claim.

    Args:
        edges: (e, 2) edges as pairs of points.
        lengths: (e,) length of each edge.
        labels: (p,) the component of each point.
        scale: (p,) standard deviation of the noise of each point.
        sizes: lower end of each class, in points.
    """
    components = np.bincount(labels)[labels[edges[:, 0]]]
    ends = scale[edges]
    smaller_scale = ends.min(axis=1)
    ratio = np.divide(lengths, smaller_scale, out=np.full(len(edges), np.inf), where=smaller_scale > 0)
    ratio[ends[:, 0] != ends[:, 1]] = np.inf
    edge_of_each_class = []
    for size, next_size in zip(sizes, (*sizes[1:], np.inf), strict=True):
        in_class = np.flatnonzero((components >= size) & (components < next_size))
        if len(in_class):
            worst = in_class[ratio[in_class].argmax()]
            edge_of_each_class.append(WorstEdge(size, int(edges[worst, 0]), int(edges[worst, 1])))
    return edge_of_each_class


def statistic(
    samples: npt.NDArray[np.floating],
    one: npt.NDArray[np.floating],
    other: npt.NDArray[np.floating],
    scales: tuple[float, float],
) -> npt.NDArray[np.float64]:
    """Return the optimal statistic for distinguishing two words, (m,): a larger value points to the other word.

    For Gaussian noise with one scale, it is the projection onto the line through the two words. If the scales differ,
    it is the log-likelihood ratio, which also uses the length of the noise.

    Args:
        samples: (m, d) noisy versions of either word.
        one: (d,) the vector of one word.
        other: (d,) the vector of the other word.
        scales: the standard deviations of the noise of both.
    """
    difference = other.astype(np.float64) - one
    centred = samples.astype(np.float64) - one
    projection = centred @ difference
    if scales[0] == scales[1]:
        return projection / np.linalg.norm(difference)
    squared = np.einsum("ij,ij->i", centred, centred)
    squared_to_other = squared - 2 * projection + difference @ difference
    return squared / (2 * scales[0] ** 2) - squared_to_other / (2 * scales[1] ** 2)
