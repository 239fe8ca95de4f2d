"""Series: tables of nearly the same words share one budget, since weekly retraining changes every vector."""

import hashlib
import hmac
import sqlite3
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from nadp.errors import InputError

SAME = 0.9
"""A table belongs to a series if they share at least this fraction of the words of the smaller one."""
Hashes = npt.NDArray[np.uint64]


def hashed(words: Iterable[str], salt: bytes) -> Hashes:
    """Return the salted 64-bit hashes of words in ascending order."""
    inner = hmac.new(salt, b"words", "sha256").digest()
    digests = (hashlib.blake2b(word.encode(), digest_size=8, key=inner).digest() for word in words)
    return np.unique(np.fromiter((int.from_bytes(digest, "little") for digest in digests), dtype=np.uint64))


def series_of(
    database: sqlite3.Connection, words: Hashes, identity: str, requested: str | None, *, unrelated: bool
) -> str:
    """Return the series that a table belongs to.

    Args:
        database: the database of the ledger.
        words: hashes of the table's words.
        identity: identity of its vectors.
        requested: name of the series, if the user gave one.
        unrelated: whether the user declares the table unrelated to other series.

    Raises:
        InputError: if the table belongs to a series other than the given one.
    """
    if unrelated:
        if requested is None:
            raise InputError("a table that is declared unrelated needs the name of a separate series (series)")
        others = [name for name in _series_of_vectors(database, identity) if name != requested]
        if others:
            raise InputError(
                f"the same vectors were released in the series {others[0]!r}, so they are not unrelated to it: give "
                f"series={others[0]!r}"
            )
        return requested
    similar = _similar_series(database, words, identity)
    named_series = [name for name in similar if not _is_unnamed(database, name)]
    if requested is None and len(named_series) > 1:
        raise InputError(
            f"the table belongs to several series: {', '.join(map(repr, named_series))}; choose one (series)"
        )
    if requested is not None and named_series and requested not in named_series:
        raise InputError(
            f"the table has {SAME:.0%} of its words in common with the series {named_series[0]!r}, so it spends that "
            f"budget: give series={named_series[0]!r}, or declare that the two are unrelated (unrelated)"
        )
    chosen = requested or next(iter([*named_series, *similar]), identity)
    for name in set(similar) - {*named_series, chosen}:
        merge(database, name, chosen)
    return chosen


def merge(database: sqlite3.Connection, series: str, into: str) -> None:
    """Move the releases of one series to another; if both have a budget, the smaller one applies."""
    if series == into:
        return
    database.execute("insert or ignore into series (name) values (?)", (into,))
    query = "select budget, words from series where name = ?"
    (budget, words), (other_budget, other_words) = (
        database.execute(query, (name,)).fetchone() or (None, None) for name in (into, series)
    )
    if other_words:
        words = words_after(words, np.frombuffer(other_words, dtype="<u8"))
    budgets = [limit for limit in (budget, other_budget) if limit is not None]
    row = (min(budgets, default=None), words, into)
    database.execute("update series set budget = ?, words = ? where name = ?", row)
    database.execute("update releases set series = ? where series = ?", (into, series))
    database.execute("delete from series where name = ?", (series,))


def words_after(recorded: bytes | None, words: Hashes) -> bytes | None:
    """Return the words by which a series is recognised after another table of it.

    A table of nearly the same words replaces the recorded ones, so the series follows a vocabulary that changes. A part
    of them replaces nothing, and other words are added: tables of the recorded words still belong to the series.

    Args:
        recorded: hashes that the ledger holds for the series, if any.
        words: hashes of the table's words.
    """
    if not recorded or not len(words):
        return recorded or words.tobytes() or None
    recorded_words = np.frombuffer(recorded, dtype="<u8")
    if not _are_alike(words, recorded_words):
        return np.union1d(recorded_words, words).tobytes()
    return words.tobytes() if len(words) >= SAME * len(recorded_words) else recorded


def _are_alike(words: Hashes, others: Hashes) -> bool:
    common = len(np.intersect1d(words, others, assume_unique=True))
    return common > 0 and common >= SAME * min(len(words), len(others))


def _series_of_vectors(database: sqlite3.Connection, identity: str) -> list[str]:
    """Return the series in which vectors were released."""
    query = "select distinct series from releases where identity = ? and state != 'cancelled'"
    return [name for (name,) in database.execute(query, (identity,))]


def _similar_series(database: sqlite3.Connection, words: Hashes, identity: str) -> list[str]:
    """Return the series of the same vectors or of nearly the same words."""
    similar = _series_of_vectors(database, identity)
    for name, blob in database.execute("select name, words from series where words is not null order by rowid"):
        if name not in similar and _are_alike(words, np.frombuffer(blob, dtype="<u8")):
            similar.append(name)
    return similar


def _is_unnamed(database: sqlite3.Connection, series: str) -> bool:
    """Return whether a series is named only by the identity of one of its embeddings."""
    query = "select 1 from releases where series = ? and identity = series"
    return database.execute(query, (series,)).fetchone() is not None
