"""Tokens are sent through the groups of their words; in an encoder of groups, this replaces noise."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from nadp.embeddings import Floats, Ids, Points
from nadp.errors import InputError
from nadp.groups import Partition
from nadp.groups.guarantee import largest_in_group
from nadp.mechanisms import Guarantee
from nadp.mechanisms.groups import guarantee_of
from nadp.runtime.parallel import for_blocks
from nadp.search.decoding import block_rows, nearest_points
from nadp.texts.channels import Channel, GroupMechanism, Noisy, channel_of

_FINENESS = 12  # bits: the grid is 2^-12 of the spread of the centroids, so rounding is negligible

Floats64 = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class GroupCode:
    """A vector for each group, which determines the output for every token of the group's words.

    Attributes:
        labels: (n,) the group of each word.
        centroids: (g, d) centroids of the groups, on a grid.
        weights: (n,) the prior of each word, up to a factor.
        between: the mechanism between groups; None for the centroid itself, without any noise to average away.
    """

    labels: npt.NDArray[np.int32]
    centroids: Floats
    weights: Floats64
    between: GroupMechanism | None = None

    @classmethod
    def of(cls, partition: Partition, between: GroupMechanism | None = None) -> "GroupCode":
        """Return the code of a partition. Its numbers lie on a grid, so that means of texts can be rounded to it."""
        spread = float(partition.centroids.std(dtype=np.float64))
        grid = 2.0 ** (np.frexp(spread or 1.0)[1] - 1 - _FINENESS)
        rounded = (np.rint(partition.centroids / grid) * grid + 0.0).astype(np.float32)
        return cls(partition.labels, rounded, partition.prior.weights, between)

    def __post_init__(self) -> None:
        if not len(self.labels) == len(self.weights) or int(self.labels.max()) >= len(self.centroids):
            raise InputError(f"labels and weights do not fit {len(self.centroids)} groups")

    def __len__(self) -> int:
        return len(self.labels)

    @cached_property
    def channel(self) -> Channel:
        """The channel that each token's group is sent through."""
        return channel_of(self.centroids, self.between)

    @property
    def grid(self) -> float:
        """Spacing of the output's numbers."""
        return self.channel.grid

    @property
    def assumed(self) -> str:
        """The assumption behind the bound on the sampler's deviation; empty if there is no such bound."""
        return self.channel.assumed

    def added_to(self, vectors: Floats, rows: Ids, factors: Floats64) -> Floats:
        """Return the outputs (t, d) for the tokens of some words (t,); vectors and factors are ignored."""
        del vectors, factors
        return self.channel.outputs(self.labels[rows].astype(np.int64))

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the code's arrays by name."""
        return {"labels": self.labels, "centroids": self.centroids, "weights": self.weights}


def guarantee_of_code(partition: Partition, code: GroupCode) -> Guarantee:
    """Return the guarantee of one token.

    With a mechanism between groups, it includes metric differential privacy over the distance between centroids.
    Posterior and success are then exact for one encoding (exponential), or the bounds for the group itself (Gaussian).
    """
    guarantee = guarantee_of(partition)
    if code.between is None:
        return guarantee
    posterior, success = code.channel.attacked(code.labels, code.weights)
    guarantee = replace(
        guarantee, mechanism=str(code.between), epsilon=code.between.epsilon, posterior=posterior, success=success
    )
    if not isinstance(code.channel, Noisy):
        return guarantee
    noise = code.channel.publication.guarantee
    return replace(guarantee, delta=noise.delta, reached=noise.reached, mu=noise.mu, unbounded=noise.unbounded)


@dataclass(frozen=True, eq=False)
class GroupModel:
    """How probable each of p distinct vectors is, given the output.

    Attributes:
        code: the code of the n words.
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
        """Return the most probable point of each token, (q,), given a prior (p,), default the partition's."""
        del factor
        weights = self._prior if prior is None else prior
        top, order = largest_in_group(self._labels, weights), np.lexsort((-weights, self._labels))
        first = order[np.searchsorted(self._labels[order], np.arange(len(top)))]
        decoded = np.empty(len(noisy), dtype=np.int64)

        def work(block: slice) -> None:
            decoded[block] = first[(self._likelihoods(noisy[block]) * top).argmax(axis=1)]

        for_blocks(work, len(noisy), block_rows(len(top)), "most likely words")
        return decoded

    def posterior_means(self, noisy: Floats, factor: float, prior: Floats64 | None = None) -> Floats:
        """Return the posterior mean vector given each token, (q, d); see most_likely."""
        del factor
        weights, count = self._prior if prior is None else prior, len(self.code.centroids)
        mass = np.bincount(self._labels, weights=weights, minlength=count)
        sums = np.zeros((count, self.points.vectors.shape[1]))
        np.add.at(sums, self._labels, self.points.vectors * weights[:, None])
        means = np.empty(noisy.shape, dtype=np.float32)

        def work(block: slice) -> None:
            likelihoods = self._likelihoods(noisy[block])
            means[block] = likelihoods @ sums / (likelihoods @ mass)[:, None]

        for_blocks(work, len(noisy), block_rows(count), "posterior means")
        return means

    def log_likelihoods(self, noisy: Floats, factor: float) -> Floats64:
        """Return the log-likelihood of each token given each point, (q, p), -inf where it is impossible."""
        del factor
        return self.code.channel.log_likelihoods(noisy)[:, self._labels]

    def members(self, noisy: Floats, uniform: Floats64) -> Ids:
        """Return a member of the group nearest to each token, (q,), drawn with the partition's prior.

        Args:
            noisy: (q, d) what came out.
            uniform: (q,) independent numbers between 0 and 1, uniform.
        """
        order = np.argsort(self._labels, kind="stable")
        sums = np.concatenate([[0.0], np.cumsum(self._prior[order])])
        ends = np.searchsorted(self._labels[order], np.arange(len(self.code.centroids) + 1))
        groups = nearest_points(self.code.centroids, noisy, 1)[:, 0].astype(np.int64)
        low, high = sums[ends[groups]], sums[ends[groups + 1]]
        position = np.searchsorted(sums, low + uniform * (high - low), side="right") - 1
        return order[np.clip(position, ends[groups], ends[groups + 1] - 1)]

    def _likelihoods(self, noisy: Floats) -> Floats64:
        """Return how likely each token is for each group, (q, g), 1 for the likeliest."""
        log_likelihoods = self.code.channel.log_likelihoods(noisy)
        likelihoods: Floats64 = np.exp(log_likelihoods - log_likelihoods.max(axis=1, keepdims=True))
        return likelihoods
