"""Sensitive words, and how surely a group reveals what they are about."""

from dataclasses import dataclass

from nadp.embeddings import Ids
from nadp.groups.partitions import Partition


@dataclass(frozen=True, eq=False)
class Sensitive:
    """Words whose topic is not to be revealed by their group.

    Attributes:
        rows: of these words.
        topics: (n,) the topic of each word of the embedding, a number; -1 for none.
    """

    rows: Ids
    topics: Ids


def revealed(partition: Partition, sensitive: Sensitive) -> list[float]:
    """Return how surely each sensitive word's group reveals its topic: the topic's share of the group's prior.

    1 where the group holds nothing else; 0 for a word without a topic. Topics must be of the partition's words.
    """
    found, weights = [], partition.prior.weights
    for row in sensitive.rows:
        group, topic = partition.labels == partition.labels[row], sensitive.topics[row]
        same = group & (sensitive.topics == topic) & (topic >= 0)
        found.append(float(weights[same].sum() / weights[group].sum()))
    return found


def revealed_of(partition: Partition, sensitive: Sensitive) -> dict[str, float]:
    """Return how surely the topic of each sensitive word is revealed, by the word; see revealed."""
    names = partition.words[sensitive.rows].tolist()
    return dict(zip(names, revealed(partition, sensitive), strict=True))
