"""Disclosure: what a release reveals about a word beyond its identity, measured in the same way for noise and groups.

The attacker knows the word frequencies and computes the posterior of each word by Bayes' rule. Recovery is one axis,
disclosure is the other: groups hide the word and disclose what its group has in common.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nadp.attacks.topics import NO_TOPIC
from nadp.embeddings import Floats, Ids
from nadp.runtime.parallel import for_blocks
from nadp.search.decoding import block_rows

if TYPE_CHECKING:
    from scipy.sparse import csr_array

FREQUENT = 150
"""All words except this many most frequent ones count as content words."""
SURE = 0.99
"""A topic counts as known if its posterior is at least this large."""

Floats64 = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Disclosure:
    """What an attacker learns about a word that is drawn from the prior.

    Attributes:
        recovery: how often the most probable word is the true word.
        content_recovery: the same among content words only; NaN if there are none.
        r2: share of the variance of the vectors that the best reconstruction (the posterior mean) explains.
        bits: mutual information of word and release, in bits.
        mean_rank: mean rank of the true word when words are guessed in order of their posterior; ties share a rank.
        one_topic: share of words whose topic the attacker knows with certainty; NaN without topics.
        words: size of the sample; 0 if the figures are exact.
    """

    recovery: float
    content_recovery: float
    r2: float
    bits: float
    mean_rank: float
    one_topic: float
    words: int = 0


@dataclass(frozen=True, eq=False)
class Background:
    """The attacker's public knowledge.

    Attributes:
        vectors: (n, d) float32, the vectors of the words without noise.
        prior: (n,) the probability of each word.
        content: (n,) whether each word is a content word.
        topics: (n,) the topic of each word, NO_TOPIC if unknown; None if there are no topics.
    """

    vectors: Floats
    prior: Floats64
    content: npt.NDArray[np.bool_]
    topics: Ids | None = None

    @property
    def spread(self) -> float:
        """The variance of the vectors under the prior, summed over the dimensions."""
        mean = self.prior @ self.vectors
        return float(self.prior @ ((self.vectors - mean) ** 2).sum(axis=1))

    @property
    def entropy(self) -> float:
        """The entropy of the prior in bits."""
        return float(-self.prior @ np.log2(self.prior))

    @property
    def members(self) -> "csr_array | None":
        """(topics, n) which words belong to each topic."""
        if self.topics is None:
            return None
        from scipy.sparse import csr_array  # noqa: PLC0415 - slow to import

        rows = np.flatnonzero(self.topics != NO_TOPIC)
        shape = (int(self.topics.max()) + 1, len(self.topics))
        return csr_array((np.ones(len(rows)), (self.topics[rows], rows)), shape=shape)


def content_words(frequencies: Floats64) -> npt.NDArray[np.bool_]:
    """Return which words (n,) are not among the 150 most frequent; word order breaks ties."""
    content = np.ones(len(frequencies), dtype=bool)
    content[np.argsort(-frequencies, kind="stable")[:FREQUENT]] = False
    return content


def disclosed_by_groups(labels: npt.NDArray[np.integer], known: Background) -> Disclosure:
    """Return the exact disclosure by a word's group under the prior in `known`; `labels` (n,) are the words' groups."""
    from scipy.sparse import csr_array  # noqa: PLC0415 - slow to import

    prior, groups = known.prior, int(labels.max()) + 1
    mass = np.bincount(labels, weights=prior, minlength=groups).astype(np.float64)
    order = np.lexsort((np.arange(len(labels)), -prior, labels))
    guess_of_group = order[np.searchsorted(labels[order], np.arange(groups))]
    of_group = csr_array((prior, (labels, np.arange(len(labels)))), shape=(groups, len(labels)))
    means = of_group @ known.vectors.astype(np.float64) / mass[:, None]
    residual = float(prior @ ((known.vectors - means[labels]) ** 2).sum(axis=1))
    is_guess = np.zeros(len(labels), dtype=bool)
    is_guess[guess_of_group] = True
    return Disclosure(
        recovery=float(prior[guess_of_group].sum()),
        content_recovery=_mean(is_guess, known.content, prior),
        r2=1 - residual / known.spread,
        bits=float(-mass @ np.log2(mass)),
        mean_rank=float(prior @ _ranks_in_groups(labels, prior)),
        one_topic=float(np.minimum(prior @ _sure_of_topic(of_group, mass, known)[labels], 1.0)),  # sums may exceed it
    )


def disclosed(truth: Ids, posterior: Callable[[slice], Floats64], known: Background) -> Disclosure:
    """Return the disclosure of words that were drawn from the prior.

    Args:
        truth: (q,) the words.
        posterior: returns the posterior of all n words, given the release of a block of `truth`, (block, n).
        known: the attacker's public knowledge.
    """
    from nadp.attacks.kernels import guesses  # noqa: PLC0415 - compiled when it is needed

    is_right, rank, entropy = np.empty(len(truth), dtype=bool), np.empty(len(truth)), np.empty(len(truth))
    squared_error, topic_is_sure = np.empty(len(truth)), np.full(len(truth), np.nan)
    members, vectors = known.members, known.vectors.astype(np.float64)

    def work(block: slice) -> None:
        true_words, probabilities = truth[block], posterior(block)
        guesses(probabilities, true_words, is_right[block], rank[block], entropy[block])
        squared_error[block] = ((probabilities @ vectors - vectors[true_words]) ** 2).sum(axis=1)
        if members is not None:
            topic_is_sure[block] = (members @ probabilities.T).max(axis=0) >= SURE

    for_blocks(work, len(truth), block_rows(len(known.prior)), "what is disclosed")
    content = known.content[truth]
    return Disclosure(
        recovery=float(is_right.mean()),
        content_recovery=float(is_right[content].mean()) if content.any() else np.nan,
        r2=1 - float(squared_error.mean()) / known.spread,
        bits=known.entropy - float(entropy.mean()),
        mean_rank=float(rank.mean()),
        one_topic=float(topic_is_sure.mean()),
        words=len(truth),
    )


def _ranks_in_groups(labels: npt.NDArray[np.integer], prior: Floats64) -> Floats64:
    """Return the rank of each word (n,) in its group by descending prior; ties share their mean rank."""
    _, tie_of_word = np.unique(np.column_stack([labels, -prior]), axis=0, return_inverse=True)
    count = np.bincount(tie_of_word)
    words_before = np.cumsum(count) - count
    first_of_group = np.full(int(labels.max()) + 1, len(labels))
    np.minimum.at(first_of_group, labels, words_before[tie_of_word])
    rank: Floats64 = words_before[tie_of_word] - first_of_group[labels] + (count[tie_of_word] + 1) / 2
    return rank


def _sure_of_topic(of_group: "csr_array", mass: Floats64, known: Background) -> Floats64:
    """Return 1 for each group (g,) whose topic an attacker knows with certainty, 0 for others; NaN without topics."""
    members = known.members
    if members is None:
        return np.full(len(mass), np.nan)
    shares = (of_group @ members.T).max(axis=1).toarray().ravel() / mass
    return (shares >= SURE).astype(np.float64)


def _mean(is_right: npt.NDArray[np.bool_], among: npt.NDArray[np.bool_], prior: Floats64) -> float:
    return float(prior[is_right & among].sum() / prior[among].sum()) if among.any() else np.nan
