"""The parameters of the mechanism groups, for releases and encodings, and the partition that they request."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

from nadp.cli.declared import Parameters
from nadp.cli.files import check_file
from nadp.cli.types import AtLeastOne, Share
from nadp.errors import InputError

if TYPE_CHECKING:
    from nadp.groups import Asked


class Grouped(Parameters):
    """The parameters of the mechanism groups; each is refused with any other mechanism."""

    min_size: AtLeastOne | None = None
    """For groups: smallest number of words in a group."""
    max_share: Share | None = None
    """For groups: largest share of one word in the prior of its group. It bounds any attacker's posterior of a word."""
    prior: Literal["uniform", "zipf"] | None = None
    """For groups: the assumed word frequencies: all equal (uniform), or by Zipf's law in the order of the embedding
    (zipf). Default: zipf with max_share, uniform without.
    """
    prior_from: str | None = None
    """For groups: a public list of words, with counts or most frequent first, that replaces `prior`."""
    prior_is_own: bool = False
    """For groups: declare that `prior_from` was counted in the texts to encode. These texts then have no guarantee, and
    the certificate says so.
    """
    centroid: Literal["equal", "prior"] = "equal"
    """For groups: weights of the words in the centroid of their group: all the same (equal), or their prior (prior)."""
    sensitive: str | None = None
    """For groups: a list of sensitive words, one per line. The certificate states how surely each word's topic is
    revealed.
    """
    max_topic_share: Share | None = None
    """For groups: merge groups until no topic of a sensitive word has more than this share of its group."""
    topics: str | None = None
    """For groups: a list of words and topics (word, tab, topic on each line). Default: 200 k-means clusters of the
    vectors.
    """
    partition: str | None = None
    """For groups: the partition of the series, a file that an earlier run wrote. New words join its groups; words that
    would violate a bound stay unknown.
    """
    accept_another_partition: bool = False
    """For groups: allow a second partition in a series, although two partitions reveal far more than one."""

    def check_budget(self, mechanism: str, *of_noise: str) -> None:
        """Refuse noise without an epsilon, and groups with parameters that are only for noise.

        Raises:
            InputError: in these cases.
        """
        if mechanism != "groups":
            if getattr(self, "epsilon", None) is None:
                raise InputError(f"the mechanism {mechanism} needs an epsilon")
            return
        noise_parameters = [name for name in of_noise if getattr(self, name) not in {None, False}]
        if noise_parameters:
            raise InputError(f"{', '.join(noise_parameters)}: only for noise, not for groups")

    def check_groups(self, mechanism: str) -> None:
        """Refuse bounds that contradict each other, missing lists, and parameters of another mechanism.

        Raises:
            InputError: in these cases.
        """
        group_parameters = [
            name for name in Grouped.model_fields if getattr(self, name) != Grouped.model_fields[name].default
        ]
        if mechanism != "groups":
            if group_parameters:
                raise InputError(f"{', '.join(group_parameters)}: only for the mechanism groups, not for {mechanism}")
            return
        for path in (self.prior_from, self.sensitive, self.topics, self.partition):
            check_file(path)
        bounds = [name for name in ("min_size", "max_share", "max_topic_share", "prior") if name in group_parameters]
        if self.partition is not None and bounds:
            raise InputError(f"a partition already has its bounds and prior: leave {', '.join(bounds)} out")
        if self.partition is None and self.min_size is None and self.max_share is None:
            raise InputError("groups need min_size, max_share or both, or the partition of an earlier run")
        if self.prior is not None and self.prior_from is not None:
            raise InputError("give prior or prior_from, not both")
        if self.prior_is_own and self.prior_from is None:
            raise InputError("prior_is_own describes prior_from: give prior_from as well")
        if self.max_topic_share is not None and self.sensitive is None:
            raise InputError("max_topic_share needs a list of sensitive words (sensitive), whose topics it bounds")
        if self.partition is None:
            self.asked()

    def asked(self) -> "Asked":
        """Return the requirements of a new partition.

        Raises:
            InputError: if the bounds have no effect.
        """
        from nadp.groups import Asked, Bounds  # noqa: PLC0415 - slow to import

        bound_values: dict[str, Any] = {
            name: getattr(self, name) for name in ("min_size", "max_share", "max_topic_share")
        }
        bounds = Bounds(
            centroid=self.centroid, **{name: value for name, value in bound_values.items() if value is not None}
        )
        if self.prior_from is not None:
            return Asked(bounds, "frequencies", self.prior_is_own)
        return Asked(bounds, self.prior or ("uniform" if self.max_share is None else "zipf"))


def now() -> str:
    """Return the time, for the ledger."""
    return datetime.now(UTC).isoformat(timespec="seconds")
