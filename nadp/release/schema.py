"""The file of the ledger: its tables, its schema version, and the migration of older files."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from nadp.errors import InputError

VERSION = 3
DELTA = 1e-6
"""The delta at which budgets are stated, unless a ledger is created with another delta."""
_WAIT = 60.0  # seconds to wait for another process
_TABLES = """
create table if not exists releases (
    id text primary key,
    identity text not null,
    graph text not null,
    mechanism text not null,
    epsilon real not null,
    delta real not null,
    mu real not null,
    state text not null check (state in ('reserved', 'sealed', 'published', 'cancelled')),
    at text not null,
    out text not null,
    series text not null,
    least_noise real,
    sizing text not null default ''
);
create table if not exists series (
    name text primary key,
    budget real,
    words blob
);
create table if not exists settings (
    name text primary key,
    value not null
);
create table if not exists secrets (
    name text primary key,
    value blob not null
);
create table if not exists files (
    release text not null references releases (id),
    ready text not null,
    place text not null,
    sha256 text not null,
    position integer not null
);
create table if not exists partitions (
    series text not null,
    fingerprint text not null,
    words blob not null,
    at text not null,
    primary key (series, fingerprint)
);
"""
_TO_NEXT = {
    0: """
alter table releases add column series text not null default '';
alter table releases add column least_noise real;
update releases set series = identity;
""",
    2: "alter table releases add column sizing text not null default ''",
}
"""Changes of existing tables. Each script runs on files of its version or an older one, in this order.

nadp 0.1 wrote no version, so it counts as 0. Versions 1 and 2 differ only by a table that _TABLES creates.
"""


def prepared(database: sqlite3.Connection, delta: float | None) -> float:
    """Create missing tables, migrate tables of an older version, and return the delta.

    Ledgers of nadp 0.1 have no version: each embedding becomes a separate series that keeps its spent budget.

    Args:
        database: a connection inside a transaction.
        delta: delta at which budgets are stated; None for the file's delta, or the default.

    Raises:
        ValueError: if the file has a newer version, or was created with another delta.
    """
    (version,) = database.execute("pragma user_version").fetchone()
    if version > VERSION:
        raise ValueError(f"it has version {version}, but this nadp supports {VERSION}: use a newer nadp")
    tables = {name for (name,) in database.execute("select name from sqlite_master where type = 'table'")}
    for older, script in _TO_NEXT.items():
        _execute(database, script if version <= older and "releases" in tables else "")
    _execute(database, _TABLES)
    database.execute("insert or ignore into series (name) select distinct series from releases")
    database.execute("insert or ignore into settings values ('delta', ?)", (DELTA if delta is None else delta,))
    (stored_delta,) = database.execute("select value from settings where name = 'delta'").fetchone()
    if delta not in (None, stored_delta):
        raise ValueError(f"its budgets are stated at delta {stored_delta:g}, fixed when it was created, not {delta:g}")
    database.execute(f"pragma user_version = {VERSION}")
    return float(stored_delta)


def _execute(database: sqlite3.Connection, script: str) -> None:
    """Execute statements inside the open transaction; executescript would commit it."""
    for statement in filter(None, map(str.strip, script.split(";"))):
        database.execute(statement)


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """Yield a connection to the file of a ledger.

    Raises:
        InputError: if SQLite cannot use the file.
    """
    try:
        with closing(sqlite3.connect(path, timeout=_WAIT, isolation_level=None)) as database:
            yield database
    except sqlite3.Error as error:
        raise InputError(f"the ledger {path} cannot be used: {error}") from error


@contextmanager
def writing(path: Path) -> Iterator[sqlite3.Connection]:
    """Run a transaction that excludes all other writers of the ledger."""
    with reading(path) as database:
        database.execute("pragma synchronous = full")
        database.execute("begin immediate")
        try:
            yield database
        except BaseException:
            database.execute("rollback")
            raise
        database.execute("commit")
