"""What releases and encodings take that give words as the centroids of groups, and how groups are made of it."""

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
    """For groups: least number of words of a group."""
    max_share: Share | None = None
    """For groups: greatest share of one word in the prior of its group, hence how sure of a word anybody may be."""
    prior: Literal["uniform", "zipf"] | None = None
    """For groups: how frequent words are thought to be, all alike (uniform) or by Zipf's law of their order in the
    embedding (zipf); left empty, zipf with max_share and uniform without.
    """
    prior_from: str | None = None
    """For groups: a public list of words with counts, or the most frequent first, in place of `prior`."""
    prior_is_own: bool = False
    """For groups: say that `prior_from` was counted in the very texts that are to be encoded. For these there is no
    guarantee then, and the certificate says so.
    """
    centroid: Literal["equal", "prior"] = "equal"
    """For groups: whether all words of a group count alike in its centroid (equal) or by their prior (prior)."""
    sensitive: str | None = None
    """For groups: a list of sensitive words, one on each line. The certificate states how surely the topic of each is
    revealed.
    """
    max_topic_share: Share | None = None
    """For groups: merge further until no topic of a sensitive word has more than this share of its group."""
    topics: str | None = None
    """For groups: a list of words with their topics (a word, a tab, a topic on each line); left empty, 200 clusters of
    the vectors by k-means.
    """
    partition: str | None = None
    """For groups: the partition that the series uses, as an earlier run wrote it. New words join its groups; those that
    would break a bound stay unknown.
    """
    accept_another_partition: bool = False
    """For groups: enter a second partition for a series, although two give away far more than one."""

    def check_groups(self, mechanism: str) -> None:
        """Refuse bounds that do not go together, lists that are not there, and parameters of another mechanism.

        Raises:
            InputError: as said.
        """
        given = [name for name in Grouped.model_fields if getattr(self, name) != Grouped.model_fields[name].default]
        if mechanism != "groups":
            if given:
                raise InputError(f"{', '.join(given)}: only for the mechanism groups, not for {mechanism}")
            return
        for path in (self.prior_from, self.sensitive, self.topics, self.partition):
            check_file(path)
        bounds = [name for name in ("min_size", "max_share", "max_topic_share", "prior") if name in given]
        if self.partition is not None and bounds:
            raise InputError(f"a partition has its bounds and prior already: leave {', '.join(bounds)} out")
        if self.partition is None and self.min_size is None and self.max_share is None:
            raise InputError("groups need min_size, max_share or both, or the partition of an earlier run")
        if self.prior is not None and self.prior_from is not None:
            raise InputError("give prior or prior_from, not both")
        if self.prior_is_own and self.prior_from is None:
            raise InputError("prior_is_own tells something of prior_from: give that, too")
        if self.max_topic_share is not None and self.sensitive is None:
            raise InputError("max_topic_share bounds the topics of sensitive words: list them (sensitive)")
        if self.partition is None:
            self.asked()

    def asked(self) -> "Asked":
        """Return what is asked of a new partition.

        Raises:
            InputError: if the bounds bound nothing.
        """
        from nadp.groups import Asked, Bounds  # noqa: PLC0415 - slow to import

        given: dict[str, Any] = {name: getattr(self, name) for name in ("min_size", "max_share", "max_topic_share")}
        bounds = Bounds(centroid=self.centroid, **{name: value for name, value in given.items() if value is not None})
        if self.prior_from is not None:
            return Asked(bounds, "frequencies", self.prior_is_own)
        return Asked(bounds, self.prior or ("uniform" if self.max_share is None else "zipf"))


def now() -> str:
    """Return the time, for the ledger."""
    return datetime.now(UTC).isoformat(timespec="seconds")
