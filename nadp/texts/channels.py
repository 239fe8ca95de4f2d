"""The output for a token's group: its centroid, another group's centroid, or its centroid with noise.

An encoder of groups sends each token through one of these channels. Decoders and attackers need the likelihood of an
output given each group.
"""

import os
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import get_args

import numpy as np
import numpy.typing as npt

from nadp.choices import BetweenGroups
from nadp.embeddings import Floats, Ids
from nadp.errors import InputError, one_of
from nadp.groups import Exponential, best_success, posterior_bound
from nadp.mechanisms import Gaussian
from nadp.mechanisms.gaussian import delta_for
from nadp.mechanisms.publication import Differences, Publication, largest_number
from nadp.noise import GridNoise
from nadp.noise.uniform import fine_fractions
from nadp.search.decoding import nearest_points

Floats64 = npt.NDArray[np.float64]
Labels = npt.NDArray[np.integer]


@dataclass(frozen=True)
class GroupMechanism:
    """A mechanism between groups, which hides a token's group among nearby groups.

    Attributes:
        name: "exponential" draws a group, near groups more often than far ones; "gaussian" adds noise to the centroid.
        epsilon: privacy budget of one token, for two groups whose centroids are one unit of distance apart.
        delta: probability of failure at that distance, for "gaussian" only; default min(1e-6, 0.1 / number of words).
    """

    name: BetweenGroups
    epsilon: float
    delta: float | None = None

    def __post_init__(self) -> None:
        if self.name not in get_args(BetweenGroups):
            raise InputError(f"the mechanism between groups {one_of(self.name, get_args(BetweenGroups))}")
        if not 0 < self.epsilon < np.inf:
            raise InputError(f"epsilon must be above 0 and finite, not {self.epsilon!r}")
        if self.name == "exponential" and self.delta is not None:
            raise InputError("the exponential mechanism has no delta: leave it out")

    def __str__(self) -> str:
        delta = "" if self.delta is None else f", delta={self.delta!r}"
        return f"groups({self.name}, epsilon={self.epsilon!r}{delta})"

    def settled(self, words: int) -> "GroupMechanism":
        """Return the mechanism with its delta for a number of words."""
        return self if self.name == "exponential" else replace(self, delta=delta_for(self.delta, words))


@dataclass(frozen=True, eq=False)
class Channel(ABC):
    """The output for a group; here g is the number of groups.

    Attributes:
        centroids: (g, d) centroids of the groups, on the grid.
    """

    centroids: Floats

    @property
    def grid(self) -> float:
        """Spacing of the output's numbers: the largest power of two that divides all of them."""
        return self._spacing

    @property
    def assumed(self) -> str:
        """The assumption behind the bound on the sampler's deviation; empty if there is no such bound."""
        return ""

    @abstractmethod
    def outputs(self, groups: Ids) -> Floats:
        """Return the outputs for some tokens, (t, d), from their groups (t,)."""

    @abstractmethod
    def log_likelihoods(self, outputs: Floats) -> Floats64:
        """Return the log-likelihood of each output (q, d) given each group, (q, g), up to a constant per output."""

    def attacked(self, labels: Labels, weights: Floats64) -> tuple[float, float]:
        """Return bounds on the posterior of any word and on the best attacker's recovery.

        No channel reveals more than the group, so the figures for the group itself bound those of every channel.

        Args:
            labels: (n,) the group of each word.
            weights: (n,) the prior, up to a factor.
        """
        return posterior_bound(labels, weights), best_success(labels, weights)

    @cached_property
    def _spacing(self) -> float:
        nonzero = self.centroids[self.centroids != 0].astype(np.float64)
        if not len(nonzero):
            return 1.0
        mantissa, exponent = np.frexp(nonzero)
        integer_mantissa = np.abs(mantissa * 2.0**53).astype(np.int64)
        lowest = np.log2((integer_mantissa & -integer_mantissa).astype(np.float64)).astype(np.int64)
        return float(2.0 ** (exponent - 53 + lowest).min())


class Same(Channel):
    """The centroid of the token's own group."""

    def outputs(self, groups: Ids) -> Floats:
        """Return the centroids of some groups."""
        return self.centroids[groups]

    def log_likelihoods(self, outputs: Floats) -> Floats64:
        """Return 0 for the group whose centroid is the output, and -inf for all others."""
        return np.where(np.arange(len(self.centroids)) == _groups(self.centroids, outputs)[:, None], 0.0, -np.inf)


@dataclass(frozen=True, eq=False)
class Drawn(Channel):
    """The centroid of a group that the exponential mechanism draws; see nadp.groups.Exponential.

    Attributes:
        epsilon: privacy budget per unit of distance.
    """

    epsilon: float

    @cached_property
    def exponential(self) -> Exponential:
        """The mechanism over the centroids."""
        return Exponential(self.centroids, self.epsilon)

    def outputs(self, groups: Ids) -> Floats:
        """Return the centroids of groups drawn with the operating system's randomness."""
        return self.centroids[self.exponential.drawn(groups, fine_fractions(len(groups), os.urandom))]

    def log_likelihoods(self, outputs: Floats) -> Floats64:
        """Return the log-likelihood of each output given each group."""
        log_likelihoods: Floats64 = np.log(
            self.exponential.likelihoods(_groups(self.centroids, outputs)).clip(min=1e-300)
        )
        return log_likelihoods

    def attacked(self, labels: Labels, weights: Floats64) -> tuple[float, float]:
        """Return the exact largest posterior and the exact recovery of the best attacker, for one encoding."""
        return self.exponential.attacked(labels, weights)


@dataclass(frozen=True, eq=False)
class Noisy(Channel):
    """The centroid with Gaussian noise, calibrated exactly for two centroids one unit of distance apart (Theorem 2).

    Attributes:
        epsilon: privacy budget at that distance.
        delta: probability of failure at that distance.
    """

    epsilon: float
    delta: float | None

    @cached_property
    def publication(self) -> Publication:
        """The noise, its grid, and the guarantee at a distance of one."""
        size = Differences(np.ones(1), self.centroids.shape[1], largest_number(self.centroids), "groups")
        return Gaussian().sized(size, self.epsilon, self.delta)

    @property
    def grid(self) -> float:
        """Spacing of the output's numbers: the spacing of the noise."""
        return self.publication.grid

    @property
    def assumed(self) -> str:
        """The assumption behind the bound on the sampler's deviation."""
        return self._noise.law.assumed

    def outputs(self, groups: Ids) -> Floats:
        """Return the centroids of some groups, each with noise drawn with the operating system's randomness."""
        return self._noise.added_to(self.centroids, groups, np.ones(len(groups)))

    def log_likelihoods(self, outputs: Floats) -> Floats64:
        """Return the log density of each output given each group."""
        return self._noise.law.log_density(outputs.astype(np.float64), self._centres, self._noise.scale)

    @cached_property
    def _noise(self) -> GridNoise:
        return self.publication.of_rows(np.zeros(len(self.centroids), dtype=np.int64))

    @cached_property
    def _centres(self) -> Floats64:
        return self.centroids.astype(np.float64)


def channel_of(centroids: Floats, between: GroupMechanism | None) -> Channel:
    """Return the channel of a mechanism between groups; without a mechanism, the channel `Same`."""
    if between is None:
        return Same(centroids)
    if between.name == "exponential":
        return Drawn(centroids, between.epsilon)
    return Noisy(centroids, between.epsilon, between.delta)


def _groups(centroids: Floats, outputs: Floats) -> Ids:
    """Return the group that has each output as its centroid, (q,)."""
    return nearest_points(centroids, outputs, 1)[:, 0].astype(np.int64)
