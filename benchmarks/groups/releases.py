"""What is compared: each way to release words, with what an attacker computes from what comes out.

A release gives an output for each of some words. Its log-likelihoods under all words are all that the best attacker
needs, and what decoding by the posterior needs as well.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import softmax

from benchmarks.groups.protocol import Floats64
from nadp import EmbeddingSpace
from nadp.attacks.disclosure import Background, Disclosure, disclosed
from nadp.embeddings import Floats, Ids
from nadp.groups import Exponential, Partition
from nadp.mechanisms.base import Additive
from nadp.noise import NoiseLaw
from nadp.runtime.parallel import for_blocks
from nadp.search.decoding import block_rows
from nadp.search.kernels import posterior_weights

_LARGEST = 64.0  # a setting at which every release is as precise as it can be
Outputs = npt.NDArray[Any]


class Release(ABC):
    """One way to release n words, at one setting.

    Attributes:
        name: of the mechanism.
        setting: of the mechanism; more of it tells more.
    """

    name: str
    setting: float

    @abstractmethod
    def outputs(self, words: Ids, rng: np.random.Generator) -> Outputs:
        """Return what comes out for some words (q,), each afresh."""

    @abstractmethod
    def log_likelihoods(self, some: Outputs) -> Floats64:
        """Return the logarithm of how likely some outputs are for each word, (q, n), up to a constant each."""

    @abstractmethod
    def raw(self, outputs: Outputs) -> Floats:
        """Return the vectors that come out, (q, d)."""

    def posterior(self, some: Outputs, prior: Floats64) -> Floats64:
        """Return how probable each word is given some outputs, (q, n), by the logarithm of its prior."""
        found: Floats64 = softmax(self.log_likelihoods(some) + prior, axis=1)
        return found


@dataclass(frozen=True, eq=False)
class Noise(Release):
    """Additive noise; the setting is one over the multiplier of the mechanism's weights."""

    name: str
    setting: float
    vectors: Floats
    law: NoiseLaw
    weights: Floats64

    @classmethod
    def of(cls, mechanism: Additive, space: EmbeddingSpace) -> Callable[[float], "Noise"]:
        """Return the noise of a mechanism at any setting."""
        law, weights = mechanism.noise.fitted(space.embeddings), mechanism.weights(space)
        return lambda setting: cls(mechanism.name, setting, space.vectors, law, weights)

    @property
    def _scale(self) -> Floats64:
        return self.weights / self.setting

    @cached_property
    def _white(self) -> Floats64:
        return self.law.whitened(self.vectors).astype(np.float64)

    def outputs(self, words: Ids, rng: np.random.Generator) -> Outputs:
        """Return what comes out for some words (q,), each afresh."""
        noise = self.law.draw(len(words), self.vectors.shape[1], rng)
        return self.vectors[words] + noise * self._scale[words, None].astype(np.float32)

    def log_likelihoods(self, some: Outputs) -> Floats64:
        """Return the logarithm of how likely some outputs are for each word, (q, n); by one product if it can be."""
        y, scale = self.law.whitened(some).astype(np.float64), self._scale
        if self.law.order != 2:
            return self.law.log_density(y, self._white, scale)
        length = squared_distances(y, self._white) ** (self.law.exponent / 2)
        return -length / scale**self.law.exponent / self.law.exponent - y.shape[1] * np.log(scale)

    def raw(self, outputs: Outputs) -> Floats:
        """Return the vectors that come out, (q, d)."""
        return outputs

    def posterior(self, some: Outputs, prior: Floats64) -> Floats64:
        """Return how probable each word is given some outputs, (q, n); compiled for Gaussian noise."""
        if self.law.exponent != 2:
            return super().posterior(some, prior)
        y, points, scale = some.astype(np.float64), self._white, self._scale
        found: Floats64 = y @ points.T
        squares = (np.einsum("ij,ij->i", each, each) for each in (y, points))
        posterior_weights(found, *squares, 1 / (2 * scale**2), prior - y.shape[1] * np.log(scale))
        return found


@dataclass(frozen=True, eq=False)
class Drawn(Release):
    """The exponential mechanism over points: all words, or the centroids of groups; the setting is epsilon."""

    name: str
    setting: float
    mechanism: Exponential
    labels: Ids

    def outputs(self, words: Ids, rng: np.random.Generator) -> Outputs:
        """Return what comes out for some words (q,), each afresh."""
        return self.mechanism.drawn(self.labels[words], rng.random(len(words)))

    def log_likelihoods(self, some: Outputs) -> Floats64:
        """Return the logarithm of how likely some outputs are for each word, (q, n)."""
        return np.log(self.mechanism.likelihoods(some).clip(min=1e-300))[:, self.labels]

    def raw(self, outputs: Outputs) -> Floats:
        """Return the vectors that come out, (q, d)."""
        return self.mechanism.points[outputs]


@dataclass(frozen=True, eq=False)
class Grouped(Release):
    """Groups, each released as its centroid."""

    name: str
    setting: float
    partition: Partition

    def outputs(self, words: Ids, rng: np.random.Generator) -> Outputs:
        """Return what comes out for some words (q,), each afresh."""
        del rng
        return self.partition.labels[words].astype(np.int64)

    def log_likelihoods(self, some: Outputs) -> Floats64:
        """Return the logarithm of how likely some outputs are for each word, (q, n)."""
        return np.where(self.partition.labels[None, :] == some[:, None], 0.0, -np.inf)

    def raw(self, outputs: Outputs) -> Floats:
        """Return the vectors that come out, (q, d)."""
        return self.partition.centroids[outputs]


@dataclass(frozen=True, eq=False)
class Meaningless(Grouped):
    """The floor: the same groups, but a random vector for each."""

    def raw(self, outputs: Outputs) -> Floats:
        """Return the vectors that come out, (q, d)."""
        rng = np.random.default_rng(0)
        return rng.standard_normal(self.partition.centroids.shape, dtype=np.float32)[outputs]


class QuickExponential(Exponential):
    """The same by one matrix product: distances of a millionth may be off, which no figure here shows."""

    def distances(self, some: Ids | slice) -> Floats64:
        """Return the distances from some points (q,) to all, (q, g)."""
        points = self.points.astype(np.float64)
        return np.sqrt(squared_distances(points[some], points))


def squared_distances(one: Floats64, other: Floats64) -> Floats64:
    """Return the squared distance of each row to each, (q, p)."""
    found = -2 * one @ other.T
    found += np.einsum("ij,ij->i", one, one)[:, None]
    found += np.einsum("ij,ij->i", other, other)
    return found.clip(min=0, out=found)


def told(release: Release, words: Ids, known: Background, rng: np.random.Generator) -> Disclosure:
    """Return what a release discloses of some words that were drawn from the prior."""
    outputs, prior = release.outputs(words, rng), np.log(known.prior)
    return disclosed(words, lambda block: release.posterior(outputs[block], prior), known)


def decoded(release: Release, outputs: Outputs, known: Background) -> dict[str, Floats]:
    """Return the vectors that come out, (q, d): as they are, the posterior means, and of the most probable words."""
    if outputs.ndim == 1:  # numbers of points: each is decoded once
        distinct, inverse = np.unique(outputs, return_inverse=True)
        if len(distinct) < len(outputs):
            return {way: vectors[inverse] for way, vectors in decoded(release, distinct, known).items()}
    prior, vectors = np.log(known.prior), known.vectors.astype(np.float64)
    means, likely = np.empty((len(outputs), vectors.shape[1]), dtype=np.float32), np.empty(len(outputs), dtype=np.int64)

    def work(block: slice) -> None:
        probable = release.posterior(outputs[block], prior)
        means[block], likely[block] = probable @ vectors, probable.argmax(axis=1)

    for_blocks(work, len(outputs), block_rows(len(prior)), f"decoding {release.name}")
    return {"raw": release.raw(outputs), "posterior mean": means, "most probable word": known.vectors[likely]}


def setting_with(
    at: Callable[[float], Release], figure: str, wanted: float, words: Ids, known: Background
) -> Release | None:
    """Return the release with a wanted recovery, or r2, of some words: by bisection, on the same random numbers.

    None where no setting reaches it: between groups, recovery stays below that of the groups.
    """
    prior, vectors, spread = np.log(known.prior), known.vectors.astype(np.float64), known.spread
    each = np.empty(len(words))

    def found(setting: float) -> float:
        release = at(setting)
        outputs = release.outputs(words, np.random.default_rng(1))

        def work(block: slice) -> None:
            if figure == "recovery":
                likely = release.log_likelihoods(outputs[block]) + prior
                each[block] = likely.argmax(axis=1) == words[block]
            else:
                left = release.posterior(outputs[block], prior) @ vectors - vectors[words[block]]
                each[block] = 1 - (left**2).sum(axis=1) / spread

        for_blocks(work, len(words), block_rows(len(prior)), figure)
        return float(each.mean())

    low = high = 1.0
    while found(high) < wanted:
        if high > _LARGEST:
            return None
        low, high = high, 2 * high
    while found(low) > wanted:
        low, high = low / 2, low
    while high / low > 1.01:
        middle = float(np.sqrt(low * high))
        low, high = (middle, high) if found(middle) < wanted else (low, middle)
    return at(float(np.sqrt(low * high)))
