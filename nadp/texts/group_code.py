"""Tokens as the centroids of their groups: what takes the place of noise in an encoder of groups."""

import os
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from nadp.embeddings import Floats, Ids, Points
from nadp.errors import InputError
from nadp.groups import Exponential, Partition
from nadp.groups.guarantee import largest_in_group
from nadp.mechanisms import Guarantee
from nadp.mechanisms.groups import guarantee_of
from nadp.noise.uniform import fractions
from nadp.search.decoding import nearest_points

_FINENESS = 12  # bits below the spread of the centroids

Floats64 = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class GroupCode:
    """A vector for each group, the same for every token of its words; no noise, hence nothing to average away.

    Attributes:
        labels: (n,) the group of each word.
        centroids: (g, d) what comes out, on the grid.
        weights: (n,) the prior of each word, up to a factor.
        epsilon: of the exponential mechanism between groups, per unit of distance; None for the group itself.
    """

    labels: npt.NDArray[np.int32]
    centroids: Floats
    weights: Floats64
    epsilon: float | None = None

    @classmethod
    def of(cls, partition: Partition, epsilon: float | None = None) -> "GroupCode":
        """Return the code of a partition. Its numbers lie on a grid, so that means of texts can be rounded to it."""
        spread = float(partition.centroids.std())
        grid = 2.0 ** (np.frexp(spread or 1.0)[1] - 1 - _FINENESS)
        rounded = (np.rint(partition.centroids / grid) * grid + 0.0).astype(np.float32)
        return cls(partition.labels, rounded, partition.prior.weights, epsilon)

    def __post_init__(self) -> None:
        if not len(self.labels) == len(self.weights) or int(self.labels.max()) >= len(self.centroids):
            raise InputError(f"labels and weights do not fit {len(self.centroids)} groups")
        _ = self.between  # refuses an epsilon out of range

    def __len__(self) -> int:
        return len(self.labels)

    @cached_property
    def grid(self) -> float:
        """Distance of two numbers that come out: the largest power of two that divides all of them."""
        found = self.centroids[self.centroids != 0].astype(np.float64)
        if not len(found):
            return 1.0
        mantissa, exponent = np.frexp(found)
        whole = np.abs(mantissa * 2.0**53).astype(np.int64)
        lowest = np.log2((whole & -whole).astype(np.float64)).astype(np.int64)
        return float(2.0 ** (exponent - 53 + lowest).min())

    @cached_property
    def between(self) -> Exponential | None:
        """The exponential mechanism between groups, if there is one."""
        return None if self.epsilon is None else Exponential(self.centroids, self.epsilon)

    def groups_of(self, rows: Ids) -> Ids:
        """Return the group that comes out for each token, (t,); drawn where there is a mechanism between groups."""
        own = self.labels[rows].astype(np.int64)
        if self.between is None:
            return own
        return self.between.drawn(own, fractions(len(rows), os.urandom))

    def added_to(self, vectors: Floats, rows: Ids, factors: Floats64) -> Floats:
        """Return what comes out for the tokens of some words (t,), (t, d); vectors and factors play no part."""
        del vectors, factors
        return self.centroids[self.groups_of(rows)]

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the arrays that the code holds, by name."""
        return {"labels": self.labels, "centroids": self.centroids, "weights": self.weights}


def guarantee_of_code(partition: Partition, code: GroupCode) -> Guarantee:
    """Return what holds for one token.

    With the exponential mechanism between groups, posterior and success are those under it, computed exactly.
    """
    if code.between is None:
        return guarantee_of(partition)
    sure, success = code.between.attacked(code.labels, code.weights)
    name = f"groups(epsilon={code.epsilon!r})"
    return Guarantee(
        name, "groups", float(code.epsilon or 0), 0.0, between="groups", posterior=sure, success=success,
        prior=partition.prior.name,
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class GroupModel:
    """How probable each of p distinct vectors is, given what came out.

    Attributes:
        code: of the n words.
        points: the distinct vectors.
    """

    code: GroupCode
    points: Points

    @cached_property
    def _labels(self) -> Ids:
        return self.code.labels[self.points.first_word].astype(np.int64)

    @cached_property
    def _prior(self) -> Floats64:
        return np.bincount(self.points.of_word, weights=self.code.weights).astype(np.float64)

    def most_likely(self, noisy: Floats, factor: float, prior: Floats64 | None = None) -> Ids:
        """Return the most probable point of each token, (q,), by a prior (p,), default the partition's."""
        del factor
        weights, groups = self._prior if prior is None else prior, self._groups(noisy)
        if self.code.between is None:
            order = np.lexsort((np.arange(len(weights)), -weights, self._labels))
            first = order[np.searchsorted(self._labels[order], np.arange(len(self.code.centroids)))]
            return first[groups]
        top = largest_in_group(self._labels, weights)
        likely = (self.code.between.likelihoods(groups) * top).argmax(axis=1)
        return np.array([int(np.where(self._labels == g, weights, -1.0).argmax()) for g in likely], dtype=np.int64)

    def posterior_means(self, noisy: Floats, factor: float, prior: Floats64 | None = None) -> Floats:
        """Return the mean of all points by their probability given each token, (q, d); see most_likely."""
        del factor
        weights, groups = self._prior if prior is None else prior, self._groups(noisy)
        count = len(self.code.centroids)
        mass = np.bincount(self._labels, weights=weights, minlength=count)
        sums = np.zeros((count, self.points.vectors.shape[1]))
        np.add.at(sums, self._labels, self.points.vectors * weights[:, None])
        if self.code.between is None:
            return (sums / mass[:, None])[groups].astype(np.float32)
        likely = self.code.between.likelihoods(groups)
        return (likely @ sums / (likely @ mass)[:, None]).astype(np.float32)

    def log_likelihoods(self, noisy: Floats, factor: float) -> Floats64:
        """Return the logarithm of how likely each token is for each point, (q, p), -inf where it is impossible."""
        del factor
        groups = self._groups(noisy)
        if self.code.between is None:
            return np.where(self._labels[None, :] == groups[:, None], 0.0, -np.inf)
        return np.log(self.code.between.likelihoods(groups).clip(min=1e-300))[:, self._labels]

    def members(self, noisy: Floats, uniform: Floats64) -> Ids:
        """Return a member of each token's group, (q,), drawn with the partition's prior by uniform numbers (q,)."""
        order = np.argsort(self._labels, kind="stable")
        sums = np.concatenate([[0.0], np.cumsum(self._prior[order])])
        ends = np.searchsorted(self._labels[order], np.arange(len(self.code.centroids) + 1))
        groups = self._groups(noisy)
        low, high = sums[ends[groups]], sums[ends[groups + 1]]
        at = np.searchsorted(sums, low + uniform * (high - low), side="right") - 1
        return order[np.clip(at, ends[groups], ends[groups + 1] - 1)]

    def _groups(self, noisy: Floats) -> Ids:
        """Return the group of each token: what came out is its centroid."""
        return nearest_points(self.code.centroids, noisy, 1)[:, 0].astype(np.int64)
