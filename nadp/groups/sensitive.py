"""Sensitive words, and how surely a group reveals their topics."""

from dataclasses import dataclass

from nadp.embeddings import Ids
from nadp.groups.partitions import Partition


@dataclass(frozen=True, eq=False)
class Sensitive:
    """Words whose topic their group must not reveal.

    Attributes:
        rows: rows of these words.
        topics: (n,) the topic of each word of the embedding, as a number; -1 for none.
    """

    rows: Ids
    topics: Ids


def revealed(partition: Partition, sensitive: Sensitive) -> list[float]:
    """Return how surely each sensitive word's group reveals its topic: the topic's share of the group's prior.

    It is 1 if all words of the group have this topic, and 0 for a word without a topic. `sensitive.topics` must refer
    to the partition's words.
    """
    topic_shares, weights = [], partition.prior.weights
    for row in sensitive.rows:
        in_group, topic = partition.labels == partition.labels[row], sensitive.topics[row]
        same_topic = in_group & (sensitive.topics == topic) & (topic >= 0)
        topic_shares.append(float(weights[same_topic].sum() / weights[in_group].sum()))
    return topic_shares


def revealed_of(partition: Partition, sensitive: Sensitive) -> dict[str, float]:
    """Return how surely each sensitive word's topic is revealed, as a dictionary by word; see revealed."""
    names = partition.words[sensitive.rows].tolist()
    return dict(zip(names, revealed(partition, sensitive), strict=True))
