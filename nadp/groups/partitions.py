"""A partition of words into groups, each of which is released as its centroid.

A group hides a word among its neighbours and preserves what they have in common. The guarantee is not differential
privacy: see nadp.groups.guarantee. The method is related to microaggregation (J. Domingo-Ferrer and J. M. Mateo-Sanz,
2002), with Ward's agglomeration (J. H. Ward, 1963) on the neighbour graph.
"""

import hashlib
import json
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from nadp.embeddings import Embeddings, Floats, Ids, Words, as_words
from nadp.errors import InputError, one_of
from nadp.groups.guarantee import best_success, largest_in_group, posterior_bound
from nadp.groups.prior import Prior
from nadp.search.decoding import nearest_points

Centroid = Literal["equal", "prior"]


@dataclass(frozen=True)
class Bounds:
    """The bounds that every group of a partition satisfies.

    Attributes:
        min_size: smallest number of words in a group.
        max_share: largest share of one word in the prior of its group.
        max_topic_share: largest share of one topic in the prior of a group that holds a sensitive word of this topic.
        centroid: the words' weights in the centroid of their group: equal weights ("equal") or their prior ("prior").

    Raises:
        InputError: if a bound is out of range, or the bounds allow groups of one word.
    """

    min_size: int = 1
    max_share: float = 1.0
    max_topic_share: float = 1.0
    centroid: Centroid = "equal"

    def __post_init__(self) -> None:
        if self.min_size < 1 or self.min_size != int(self.min_size):
            raise InputError(f"min_size must be an integer, 1 or more, not {self.min_size!r}")
        for name in ("max_share", "max_topic_share"):
            if not 0 < getattr(self, name) <= 1:
                raise InputError(f"{name} must be above 0 and at most 1, not {getattr(self, name)!r}")
        if self.min_size == 1 and self.max_share == 1:
            raise InputError("groups of one word hide nothing: give min_size of at least 2, or max_share below 1")
        if self.centroid not in get_args(Centroid):
            raise InputError(f"centroid {one_of(self.centroid, get_args(Centroid))}")


@dataclass(frozen=True, eq=False)
class Partition:
    """n words in g groups, numbered in the order of their first words.

    Attributes:
        words: (n,) the words.
        labels: (n,) int32, the group of each word.
        centroids: (g, d) float32, the released vector of each group.
        prior: assumed frequencies of the words.
        bounds: the bounds that every group satisfies under this prior.
        made_of: number of first words that it was built from; 0 for all. The others joined later.
    """

    words: Words
    labels: npt.NDArray[np.int32]
    centroids: Floats
    prior: Prior
    bounds: Bounds
    made_of: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.made_of <= len(self.words):
            raise InputError(f"a partition of {len(self.words)} words cannot be built from {self.made_of}")
        if not self.made_of:
            object.__setattr__(self, "made_of", len(self.words))
        if not len(self.words) == len(self.labels) == len(self.prior):
            raise InputError(
                f"{len(self.words)} words, {len(self.labels)} labels and {len(self.prior)} weights do not match"
            )
        if sorted(set(self.labels.tolist())) != list(range(len(self.centroids))):
            raise InputError(f"the labels are not the numbers of the {len(self.centroids)} groups")

    def __len__(self) -> int:
        return len(self.centroids)

    @cached_property
    def sizes(self) -> Ids:
        """(g,) number of words of each group."""
        return np.bincount(self.labels)

    @cached_property
    def mass(self) -> npt.NDArray[np.float64]:
        """(g,) prior of each group; they add up to 1."""
        return np.bincount(self.labels, weights=self.prior.weights) / self.prior.total

    @cached_property
    def largest_share(self) -> float:
        """The largest share of one word in the prior of its group: an upper bound on every attacker's posterior."""
        return posterior_bound(self.labels, self.prior.weights)

    @cached_property
    def success(self) -> float:
        """The recovery of the best attacker under the prior."""
        return best_success(self.labels, self.prior.weights)

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the partition as it was built; words that join later do not change it."""
        return self._digest(self.made_of)

    @property
    def digest(self) -> str:
        """SHA-256 of the whole partition."""
        return self._digest(len(self.words))

    def _digest(self, words: int) -> str:
        """Return the SHA-256 of the groups of the first words."""
        terms = {**asdict(self.bounds), "prior": self.prior.name, "own_texts": self.prior.own_texts}
        digest = hashlib.sha256(json.dumps([terms, self.words[:words].tolist()], sort_keys=True).encode())
        arrays = (self.labels[:words], "<i4"), (self.centroids, "<f4"), (self.prior.weights[:words], "<f8")
        for array, kind in arrays:
            digest.update(repr(array.shape).encode() + np.ascontiguousarray(array, dtype=kind).tobytes())
        return digest.hexdigest()

    @property
    def table(self) -> Embeddings:
        """The release: each word with the centroid of its group."""
        return Embeddings(self.words.tolist(), self.centroids[self.labels])

    def keeps_bounds(self) -> bool:
        """Return whether every group satisfies its bounds."""
        mass = np.bincount(self.labels, weights=self.prior.weights)
        top = largest_in_group(self.labels, self.prior.weights)
        return bool((self.sizes >= self.bounds.min_size).all() and (top / self.bounds.max_share <= mass).all())

    def joined(self, embeddings: Embeddings, weights: npt.ArrayLike | None = None) -> "Partition":
        """Return the partition with new words, each in the group with the nearest centroid; centroids do not change.

        A word whose share of the group would be too large stays out and counts as unknown. Words that are already in
        the partition do not change.

        Args:
            embeddings: the new words and their vectors.
            weights: (m,) their prior, in the unit of the source of the partition's prior; default 1 each, for a uniform
                prior only.

        Raises:
            InputError: if the weights do not fit, or the dimensions differ.
        """
        if embeddings.dimension != self.centroids.shape[1]:
            raise InputError(f"words of {embeddings.dimension} dimensions do not fit {self.centroids.shape[1]}")
        new_weights = self._weights_of(embeddings, weights)
        known = set(self.words.tolist())
        is_new = np.array([word not in known for word in embeddings.words.tolist()])
        groups = nearest_points(self.centroids, embeddings.vectors, 1)[:, 0]
        mass = np.bincount(self.labels, weights=self.prior.weights)
        joined_rows = []
        for row in np.flatnonzero(is_new):
            if new_weights[row] / self.bounds.max_share <= mass[groups[row]] + new_weights[row]:
                mass[groups[row]] += new_weights[row]
                joined_rows.append(row)
        prior = replace(self.prior, weights=np.concatenate([self.prior.weights, new_weights[joined_rows]]))
        words = [*self.words.tolist(), *embeddings.words[joined_rows].tolist()]
        return replace(
            self, words=as_words(words), labels=np.concatenate([self.labels, groups[joined_rows]]), prior=prior
        )

    def _weights_of(self, embeddings: Embeddings, weights: npt.ArrayLike | None) -> npt.NDArray[np.float64]:
        if weights is None and not self.prior.is_uniform:
            raise InputError(f"new words need weights in the unit of the prior, {self.prior.name}")
        raw_weights = np.ones(len(embeddings)) if weights is None else np.asarray(weights, dtype=np.float64)
        if raw_weights.shape != (len(embeddings),) or not (np.isfinite(raw_weights) & (raw_weights > 0)).all():
            raise InputError(f"{len(embeddings)} new words need as many finite weights above 0")
        return np.rint(raw_weights * self.prior.unit).clip(min=1)
