"""Building a partition: neighbouring groups are merged until all bounds hold."""

import numpy as np
import numpy.typing as npt

from nadp.embeddings import Embeddings, Floats, Ids, Points
from nadp.errors import InputError
from nadp.groups.guarantee import largest_in_group
from nadp.groups.partitions import Bounds, Partition
from nadp.groups.prior import Prior
from nadp.groups.sensitive import Sensitive
from nadp.search import NearestNeighbours


def partition(
    embeddings: Embeddings,
    neighbours: NearestNeighbours,
    prior: Prior,
    bounds: Bounds,
    sensitive: Sensitive | None = None,
) -> Partition:
    """Return a partition into groups of neighbouring words that satisfies some bounds.

    At first, each distinct vector is a group (words that share a vector stay together). Then neighbouring groups are
    merged: first by Ward's cost until all reach their size, then by Ward's cost per unit of prior that the merger
    supplies. See nadp.groups.kernels.merge. Equal inputs give equal partitions on every machine.

    Args:
        embeddings: n words; the words and their vectors must be public.
        neighbours: neighbour lists of their p distinct vectors.
        prior: the prior of the n words.
        bounds: the bounds of every group.
        sensitive: the words that max_topic_share protects.

    Raises:
        InputError: if the sizes disagree, or no partition satisfies the bounds.
    """
    points = embeddings.points
    if len(prior) != len(embeddings) or len(neighbours) != len(points):
        raise InputError(
            f"{len(embeddings)} words with {len(points)} distinct vectors need as many weights and neighbour lists, "
            f"not {len(prior)} and {len(neighbours)}"
        )
    _refuse_impossible(embeddings, prior, bounds)
    labels = numbered(_merged(points, neighbours, prior, bounds, sensitive))
    weights = prior.weights if bounds.centroid == "prior" else np.ones(len(labels))
    return Partition(embeddings.words, labels, centroids_of(embeddings.vectors, labels, weights), prior, bounds)


def _refuse_impossible(embeddings: Embeddings, prior: Prior, bounds: Bounds) -> None:
    if bounds.min_size > len(embeddings):
        raise InputError(f"min_size {bounds.min_size} is more than the number of words, {len(embeddings)}")
    if prior.weights[prior.largest] / bounds.max_share > prior.total:
        raise InputError(
            f"max_share {bounds.max_share:g} is impossible: {str(embeddings.words[prior.largest])!r} alone has "
            f"{prior.shares[prior.largest]:.4g} of the prior, and max_share cannot be smaller than this"
        )


def _merged(
    points: Points, neighbours: NearestNeighbours, prior: Prior, bounds: Bounds, sensitive: Sensitive | None
) -> Ids:
    """Return for each word the point that represents its group, (n,)."""
    from nadp.groups.kernels import NOBODY, SHARE, SIZE, TOPIC, merge  # noqa: PLC0415 - compiled when it is needed

    parent = np.arange(len(points), dtype=np.int32)
    mass, top = np.bincount(points.of_word, weights=prior.weights), largest_in_group(points.of_word, prior.weights)
    state = (points.vectors.astype(np.float64), points.words_at.copy(), mass, top, *_topics(points, prior, sensitive))
    near = np.ascontiguousarray(neighbours.indices[:, 1:])
    for kind, limit in ((SIZE, bounds.min_size), (SHARE, bounds.max_share), (TOPIC, bounds.max_topic_share)):
        if merge(kind, float(limit), near, parent, *state) == NOBODY:
            raise InputError(
                f"max_topic_share {bounds.max_topic_share:g} is impossible: a topic of the sensitive words has a "
                "larger share of the whole prior"
            )
    while (parent != parent[parent]).any():
        parent = parent[parent]
    return parent[points.of_word].astype(np.int64)


def _topics(
    points: Points, prior: Prior, sensitive: Sensitive | None
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Return each point's prior of words of each sensitive topic, and whether the point holds a sensitive word of it.

    Both have the shape (p, t). A topic is sensitive if it has sensitive words.
    """
    rows = np.empty(0, dtype=np.int64) if sensitive is None else sensitive.rows
    topic_of_word = np.full(len(points.of_word), -1) if sensitive is None else sensitive.topics
    topics = np.unique(topic_of_word[rows][topic_of_word[rows] >= 0])
    mass, listed = np.zeros((len(points), len(topics))), np.zeros((len(points), len(topics)), dtype=np.bool_)
    for t, topic in enumerate(topics):
        mass[:, t] = np.bincount(
            points.of_word, weights=prior.weights * (topic_of_word == topic), minlength=len(points)
        )
        listed[points.of_word[rows[topic_of_word[rows] == topic]], t] = True
    return mass, listed


def numbered(names: npt.NDArray[np.integer]) -> npt.NDArray[np.int32]:
    """Return group names (n,) as numbers, (n,) int32, which follow the order of the groups' first words."""
    _, first, inverse = np.unique(names, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int32)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse]


def centroids_of(vectors: Floats, labels: npt.NDArray[np.int32], weights: npt.NDArray[np.float64]) -> Floats:
    """Return the mean vector of each group, (g, d), weighted by the words' weights (n,)."""
    from scipy.sparse import csr_array  # noqa: PLC0415 - slow to import

    mass = np.bincount(labels, weights=weights)
    members = csr_array((weights, (labels, np.arange(len(labels)))), shape=(len(mass), len(labels)))
    return (members @ vectors / mass[:, None]).astype(np.float32)
