"""One permanent partition per series: two partitions of the same words reveal far more than one."""

import sqlite3
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from nadp.errors import InputError
from nadp.groups import Partition, save_partition
from nadp.release.ledger import Ledger
from nadp.release.schema import writing
from nadp.release.series import SAME, Hashes


class OtherPartitionError(InputError):
    """A series that already uses another partition."""


@dataclass(frozen=True)
class PartitionSeries:
    """The series of texts that a partition is for.

    Attributes:
        name: name of the series; None for the series with nearly the same words.
        accept_another: whether the user accepts a second partition of the series.
        at: the time.
        copy: path where the partition is saved for later runs of the series.
    """

    name: str | None
    accept_another: bool
    at: str
    copy: Path

    def enter(self, ledger: Ledger, partition: Partition) -> str:
        """Record the partition of the series, save it next to the output, and return the name of the series.

        Raises:
            OtherPartitionError: if the series uses another partition, and the user does not accept a second one.
        """
        name, _ = use_partition(ledger, partition, self.at, series=self.name, accept_another=self.accept_another)
        self.copy.parent.mkdir(parents=True, exist_ok=True)
        save_partition(self.copy, partition)
        return name


def use_partition(
    ledger: Ledger, partition: Partition, at: str, *, series: str | None = None, accept_another: bool = False
) -> tuple[str, list[str]]:
    """Record the partition of a series. Return the name of the series and the fingerprints of its other partitions.

    Args:
        ledger: the ledger of the texts' owner.
        partition: a partition of public words.
        at: the time.
        series: name for all outputs that may hold the same texts, or texts by the same people; default: the series of a
            partition with nearly the same words, or a new one.
        accept_another: whether the user accepts a second partition of the series, and what both reveal together.

    Raises:
        OtherPartitionError: if the series uses another partition, and the user does not accept a second one.
    """
    words, fingerprint = ledger.hashed(partition.words.tolist()), partition.fingerprint
    with writing(ledger.path) as database:
        name = series or _series_of_similar_words(database, words) or fingerprint[:16]
        query = "select fingerprint from partitions where series = ? order by at, rowid"
        used_before = [recorded for (recorded,) in database.execute(query, (name,))]
        other_partitions = [recorded for recorded in used_before if recorded != fingerprint]
        if other_partitions and fingerprint not in used_before and not accept_another:
            raise OtherPartitionError(
                f"the series {name!r} uses the partition {other_partitions[0][:12]}, not {fingerprint[:12]}. An "
                "attacker who sees words under both recovers far more than under one. Use the first partition, name "
                "another series if no text is in both (series), or accept another partition explicitly "
                "(accept_another_partition)"
            )
        database.execute(
            "insert or ignore into partitions values (?, ?, ?, ?)", (name, fingerprint, words.tobytes(), at)
        )
    return name, other_partitions


def _series_of_similar_words(database: sqlite3.Connection, words: Hashes) -> str | None:
    """Return the first series with a partition of nearly the same words."""
    for name, blob in database.execute("select series, words from partitions order by at, rowid"):
        series_words = np.frombuffer(blob, dtype="<u8")
        common = len(np.intersect1d(words, series_words, assume_unique=True))
        if common >= SAME * min(len(words), len(series_words)):
            return str(name)
    return None
