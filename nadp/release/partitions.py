"""One partition for a series, for good: two partitions of the same words give away far more than either."""

import sqlite3

import numpy as np

from nadp.errors import InputError
from nadp.groups import Partition
from nadp.release.ledger import Ledger
from nadp.release.schema import writing
from nadp.release.series import SAME, Hashes


class OtherPartitionError(InputError):
    """A series that was begun with another partition."""


def use_partition(
    ledger: Ledger, partition: Partition, at: str, *, series: str | None = None, accept_another: bool = False
) -> tuple[str, list[str]]:
    """Enter that a series uses a partition; return its name, and the fingerprints of others that it uses.

    Args:
        ledger: of the owner of the texts.
        partition: of public words.
        at: the time.
        series: a name for all that may hold the same texts, or texts of the same people; default that of a partition
            with nearly the same words, or else one of its own.
        accept_another: whether a second partition of the series is meant, whatever the two give away together.

    Raises:
        OtherPartitionError: if the series uses another partition, and a second one is not accepted.
    """
    words, own = ledger.hashed(partition.words.tolist()), partition.fingerprint
    with writing(ledger.path) as database:
        name = series or _alike(database, words) or own[:16]
        query = "select fingerprint from partitions where series = ? order by at, rowid"
        used = [found for (found,) in database.execute(query, (name,))]
        others = [found for found in used if found != own]
        if others and own not in used and not accept_another:
            raise OtherPartitionError(
                f"the series {name!r} uses the partition {others[0][:12]}, not {own[:12]}. Whoever sees words under "
                "both finds far more than under either. Use the first one (its file), name another series if no text "
                "is in both (series), or accept another partition explicitly (accept_another_partition)"
            )
        database.execute("insert or ignore into partitions values (?, ?, ?, ?)", (name, own, words.tobytes(), at))
    return name, others


def _alike(database: sqlite3.Connection, words: Hashes) -> str | None:
    """Return the first series with a partition of nearly the same words."""
    for name, blob in database.execute("select series, words from partitions order by at, rowid"):
        theirs = np.frombuffer(blob, dtype="<u8")
        common = len(np.intersect1d(words, theirs, assume_unique=True))
        if common >= SAME * min(len(words), len(theirs)):
            return str(name)
    return None
