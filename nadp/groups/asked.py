"""A requested partition: its bounds, its prior (by name or from a list), and the words whose topics it hides."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from nadp.embeddings import Embeddings, Ids, Words
from nadp.errors import FormatError, InputError
from nadp.groups.making import partition
from nadp.groups.partitions import Bounds, Partition
from nadp.groups.prior import UNIFORM, ZIPF, Prior, file_prior, file_prior_name, uniform_prior, zipf_prior
from nadp.groups.sensitive import Sensitive
from nadp.search import NearestNeighbours
from nadp.vocabulary import frequencies_of

PriorName = Literal["uniform", "zipf", "frequencies"]


@dataclass(frozen=True)
class Asked:
    """The requirements of a partition.

    Attributes:
        bounds: the bounds of every group.
        prior: the assumed word frequencies: all equal, by Zipf's law in the order of the words, or from a list.
        own_texts: whether the list was counted in the texts to encode.
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
            embeddings: n words; for Zipf's law, the most frequent first.
            neighbours: neighbour lists of their distinct vectors.
            frequencies: the list of frequencies, for the prior "frequencies".
            sensitive: words whose topics are bounded by max_topic_share.

        Raises:
            InputError: if prior and list do not fit together, or no partition satisfies the bounds.
        """
        return partition(embeddings, neighbours, self._prior(embeddings.words, frequencies), self.bounds, sensitive)

    def _prior(self, words: Words, frequencies: Path | None) -> Prior:
        if (self.prior == "frequencies") != (frequencies is not None):
            raise InputError("a list of frequencies and the prior 'frequencies' need each other: give both, or neither")
        if frequencies is not None:
            return file_prior(frequencies, words, self.own_texts)
        return uniform_prior(len(words)) if self.prior == "uniform" else zipf_prior(len(words))


def extended(old: Partition, embeddings: Embeddings, frequencies: Path | None = None) -> Partition:
    """Return a partition with the new words of an embedding, weighted by the partition's prior; see Partition.joined.

    Args:
        old: the partition of a series.
        embeddings: public vectors; for Zipf's law, in order of frequency.
        frequencies: the list of frequencies that the partition was built with, if any.

    Raises:
        InputError: if there are new words, and the list is missing or a different one.
    """
    is_new = ~np.isin(embeddings.words, old.words)
    if not is_new.any():
        return old
    name, words = old.prior.name, embeddings.subset(np.flatnonzero(is_new))
    if name == UNIFORM:
        return old.joined(words)
    if name.startswith(ZIPF):
        ranks = np.flatnonzero(is_new) + 1.0
        return old.joined(words, ranks ** -float(name.removeprefix(ZIPF)))
    if frequencies is None or name != file_prior_name(frequencies):
        raise InputError(f"new words need the prior that the partition was built with: give the {name}")
    return old.joined(words, frequencies_of(frequencies, words.words))


def listed_rows(path: str | Path, embeddings: Embeddings) -> Ids:
    """Return the rows of the words in a list with one word per line; words that the embedding lacks are left out.

    Raises:
        InputError: if there is no such file, or it names none of the words.
        FormatError: if it is not UTF-8.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"no such file: {path}")
    try:
        names = [line.strip() for line in path.read_text(encoding="utf-8-sig").splitlines()]
    except UnicodeDecodeError as error:
        raise FormatError(f"{path} is not UTF-8 ({error.reason}): save it as UTF-8") from error
    rows = embeddings.rows(name for name in names if name)
    if not (rows >= 0).any():
        raise InputError(f"{path} names none of the words of the embedding: a list has one word on each line")
    return np.unique(rows[rows >= 0])


@dataclass(frozen=True, eq=False)
class Found:
    """A partition with the rows and topics of its m words.

    Attributes:
        partition: the partition of the words.
        rows: (m,) rows of its words in the embedding.
        topics: (m,) the topic of each word.
        sensitive: the listed sensitive words, as rows of the partition; None without a list.
    """

    partition: Partition
    rows: Ids
    topics: Ids
    sensitive: Sensitive | None

    @classmethod
    def of(cls, partition: Partition, embeddings: Embeddings, topics: Ids, sensitive: Ids | None = None) -> "Found":
        """Return a partition with the rows and topics of its words.

        Args:
            partition: a partition of m words.
            embeddings: n words, which include these m words.
            topics: (n,) the topic of each word of the embedding.
            sensitive: rows of the embedding; words without a group are left out.

        Raises:
            InputError: if the embedding lacks a word.
        """
        rows = embeddings.rows(partition.words.tolist())
        if (rows < 0).any():
            missing_word = str(partition.words[int(rows.argmin())])
            raise InputError(f"the embedding lacks {missing_word!r}, which has a group")
        topics_of_words = topics[rows]
        sensitive_words = (
            None if sensitive is None else Sensitive(np.flatnonzero(np.isin(rows, sensitive)), topics_of_words)
        )
        return cls(partition, rows, topics_of_words, sensitive_words)
