"""A requested partition: its bounds, its prior by name or from a list, and the words whose topics stay hidden."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from nadp.embeddings import Embeddings, Ids, Words
from nadp.errors import InputError
from nadp.groups.making import partition
from nadp.groups.partitions import Bounds, Partition
from nadp.groups.prior import UNIFORM, ZIPF, Prior, file_prior, file_prior_name, uniform_prior, zipf_prior
from nadp.groups.sensitive import Sensitive
from nadp.search import NearestNeighbours
from nadp.vocabulary import frequencies_of

PriorName = Literal["uniform", "zipf", "frequencies"]


@dataclass(frozen=True)
class Asked:
    """What is asked of a partition.

    Attributes:
        bounds: that every group keeps.
        prior: how frequent words are thought to be: all alike, by Zipf's law of their order, or by a list.
        own_texts: whether the list was counted in the texts that are to be encoded.
    """

    bounds: Bounds
    prior: PriorName = "uniform"
    own_texts: bool = False

    def made(
        self,
        embeddings: Embeddings,
        neighbours: NearestNeighbours,
        *,
        frequencies: Path | None = None,
        sensitive: Sensitive | None = None,
    ) -> Partition:
        """Return the partition of the words of a public embedding; see nadp.groups.partition.

        Args:
            embeddings: n words, the most frequent first where Zipf's law is the prior.
            neighbours: lists of their distinct vectors.
            frequencies: the list of frequencies, for that prior.
            sensitive: words whose topics are bounded by max_topic_share.

        Raises:
            InputError: if prior and list do not go together, or no partition keeps to the bounds.
        """
        return partition(embeddings, neighbours, self._prior(embeddings.words, frequencies), self.bounds, sensitive)

    def _prior(self, words: Words, frequencies: Path | None) -> Prior:
        if (self.prior == "frequencies") != (frequencies is not None):
            raise InputError("a list of frequencies and the prior 'frequencies' need each other: give both, or neither")
        if frequencies is not None:
            return file_prior(frequencies, words, self.own_texts)
        return uniform_prior(len(words)) if self.prior == "uniform" else zipf_prior(len(words))


def extended(old: Partition, embeddings: Embeddings, frequencies: Path | None = None) -> Partition:
    """Return a partition with the new words of an embedding, weighed by its own prior; see Partition.joined.

    Args:
        old: the partition of a series.
        embeddings: public vectors, in the order of frequency where Zipf's law is the prior.
        frequencies: the list of frequencies that it was made with, if it was.

    Raises:
        InputError: if there are new words, and the list is missing or another one.
    """
    fresh = ~np.isin(embeddings.words, old.words)
    if not fresh.any():
        return old
    name, words = old.prior.name, embeddings.subset(np.flatnonzero(fresh))
    if name == UNIFORM:
        return old.joined(words)
    if name.startswith(ZIPF):
        ranks = np.flatnonzero(fresh) + 1.0
        return old.joined(words, ranks ** -float(name.removeprefix(ZIPF)))
    if frequencies is None or name != file_prior_name(frequencies):
        raise InputError(f"new words need the prior that the partition was built with: give the {name}")
    return old.joined(words, frequencies_of(frequencies, words.words))


def listed_rows(path: str | Path, embeddings: Embeddings) -> Ids:
    """Return the rows of the words that a list names, one on each line; those that the embedding lacks are left out.

    Raises:
        InputError: if there is no such file, or it names none of the words.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"no such file: {path}")
    names = [line.strip() for line in path.read_text(encoding="utf-8-sig").splitlines()]
    rows = embeddings.rows(name for name in names if name)
    if not (rows >= 0).any():
        raise InputError(f"{path} names none of the words of the embedding: a list has one word on each line")
    return np.unique(rows[rows >= 0])


@dataclass(frozen=True, eq=False)
class Found:
    """A partition with what is known of its m words.

    Attributes:
        partition: of the words.
        rows: (m,) of its words in the embedding.
        topics: (m,) what each is about.
        sensitive: the listed words, by the rows of the partition; None without a list.
    """

    partition: Partition
    rows: Ids
    topics: Ids
    sensitive: Sensitive | None

    @classmethod
    def of(cls, partition: Partition, embeddings: Embeddings, topics: Ids, sensitive: Ids | None = None) -> "Found":
        """Return a partition of words of an embedding.

        Args:
            partition: m words.
            embeddings: n words, these among them.
            topics: (n,) what each word of the embedding is about.
            sensitive: rows of the embedding; words without a group are left out.

        Raises:
            InputError: if the embedding lacks a word.
        """
        rows = embeddings.rows(partition.words.tolist())
        if (rows < 0).any():
            lost = str(partition.words[int(rows.argmin())])
            raise InputError(f"the embedding lacks {lost!r}, which has a group")
        own = topics[rows]
        listed = None if sensitive is None else Sensitive(np.flatnonzero(np.isin(rows, sensitive)), own)
        return cls(partition, rows, own, listed)
