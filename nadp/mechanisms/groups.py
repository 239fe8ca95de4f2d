"""Groups of neighbours, each released as its centroid. Their guarantee is not differential privacy."""

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from nadp.embeddings import Floats
from nadp.errors import InputError
from nadp.groups import Bounds, Partition, Prior, partition, uniform_prior, zipf_prior
from nadp.mechanisms.base import FixedTable
from nadp.mechanisms.guarantee import Guarantee, Kind
from nadp.space import EmbeddingSpace

_OWN_TEXTS = ", counted in the texts to be protected, for which there is NO guarantee"


@dataclass(frozen=True)
class Groups(FixedTable):
    """Groups of at least min_size words under the uniform prior, which fits a released table."""

    name: ClassVar[str] = "groups"
    label: ClassVar[str] = "Groups by size"
    colour: ClassVar[str] = "#7B3294"
    kind: ClassVar[Kind] = "groups"
    parameter: ClassVar[str] = "min_size"
    uses_graph: ClassVar[bool] = False
    publishable: ClassVar[bool] = True
    encodable: ClassVar[bool] = True
    warning: ClassVar[str | None] = (
        "Groups are not differential privacy: they hide a word within its group and reveal the group, and so the topic."
    )

    def partition(self, space: EmbeddingSpace, setting: float) -> Partition:
        """Return the partition at a setting of the curve; recent ones are cached."""
        return _partition(self, space, setting)

    def table(self, space: EmbeddingSpace, setting: float) -> Floats:
        """Return the centroid of each word's group, (n, d)."""
        return _partition(self, space, setting).table.vectors

    def guarantee(self, space: EmbeddingSpace, epsilon: float, delta: float) -> Guarantee:
        """Return the guarantee: the largest share of a word and the best attacker's recovery. Delta is not used."""
        del delta
        return guarantee_of(_partition(self, space, epsilon), str(self))

    def check(self, setting: float, delta: float) -> None:
        """Refuse bounds that have no effect."""
        del delta
        self.bounds(setting)

    def bounds(self, setting: float) -> Bounds:
        """Return the bounds at a setting."""
        if setting != int(setting):
            raise InputError(f"min_size must be an integer, not {setting!r}")
        return Bounds(min_size=int(setting))

    def prior(self, words: int) -> Prior:
        """Return the prior of `words` words, which are ordered by frequency."""
        return uniform_prior(words)


@dataclass(frozen=True)
class GroupsByShare(Groups):
    """Groups in which no word has more than max_share of the prior, which is Zipf's law by the order of the words.

    Args:
        exponent: exponent of Zipf's law.
    """

    exponent: float = 1.0
    name: ClassVar[str] = "groups-by-share"
    label: ClassVar[str] = "Groups by share"
    colour: ClassVar[str] = "#C2A5CF"
    parameter: ClassVar[str] = "max_share"
    publishable: ClassVar[bool] = False  # in releases, it is an option of groups
    encodable: ClassVar[bool] = False

    def bounds(self, setting: float) -> Bounds:
        """Return the bounds at a setting."""
        return Bounds(max_share=setting)

    def prior(self, words: int) -> Prior:
        """Return Zipf's law."""
        return zipf_prior(words, self.exponent)


def guarantee_of(partition: Partition, mechanism: str = "groups") -> Guarantee:
    """Return the guarantee of a partition for the words of a group, under its prior."""
    return Guarantee(
        mechanism,
        "groups",
        0.0,
        0.0,
        between="groups",
        posterior=partition.largest_share,
        success=partition.success,
        prior=partition.prior.name + (_OWN_TEXTS if partition.prior.own_texts else ""),
    )


@lru_cache(maxsize=8)
def _partition(mechanism: Groups, space: EmbeddingSpace, setting: float) -> Partition:
    if not np.isfinite(setting):
        raise InputError(f"{mechanism.parameter} must be finite, not {setting!r}")
    return partition(space.embeddings, space.neighbours, mechanism.prior(len(space)), mechanism.bounds(setting))
