"""The ledger: which releases of the same vectors there are, and what they promise together.

A small SQLite file. A release is reserved before its noise is drawn, sealed when its files lie ready beside their
places, and published when they are at their places. A reserved release counts as spent until it is cancelled by hand;
a sealed one is finished by the next release of whatever vectors, so a run that dies in the middle leaves no doubt.
"""

import hashlib
import hmac
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from nadp.calibration import composed_mu, epsilon_of
from nadp.embeddings import Embeddings
from nadp.errors import BudgetError, InputError
from nadp.files.durable import make_private
from nadp.files.sealing import SealedFile

State = Literal["reserved", "sealed", "published", "cancelled"]
_SCHEMA = """
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
    out text not null
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
"""
_WAIT = 60.0  # seconds for another process to finish with the ledger


@dataclass(frozen=True)
class Entry:
    """One release as the ledger knows it.

    Attributes:
        id: of the release.
        identity: of the vectors, see identity_of.
        graph: the parameters that say which words are neighbours.
        mechanism: of the release.
        epsilon: its budget.
        delta: its probability of failure.
        mu: of Gaussian differential privacy.
        state: "reserved", "sealed", "published" or "cancelled".
        at: when it was reserved.
        out: where its vectors go.
    """

    id: str
    identity: str
    graph: str
    mechanism: str
    epsilon: float
    delta: float
    mu: float
    state: State
    at: str
    out: str


class Ledger:
    """The releases of a folder, a team, a company: whoever shares the file.

    Args:
        path: the file; made if there is none.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            make_private(path)
        except OSError as error:
            raise InputError(f"no ledger can be kept at {path}: {error}") from error
        with self._writing() as database:
            for statement in filter(None, map(str.strip, _SCHEMA.split(";"))):
                database.execute(statement)

    def entries(self, identity: str | None = None) -> list[Entry]:
        """Return all releases, or those of some vectors, the oldest first."""
        with self._connected() as database:
            rows = database.execute("select * from releases order by at, rowid").fetchall()
        return [entry for entry in (Entry(*row) for row in rows) if identity in (None, entry.identity)]

    def entry(self, release: str) -> Entry | None:
        """Return a release by its id, if there is one."""
        return next((entry for entry in self.entries() if entry.id == release), None)

    def reserve(self, entry: Entry, budget: float | None = None) -> list[Entry]:
        """Enter a release as reserved, whatever its state says, and return the earlier ones of the same vectors.

        A release whose id is reserved already is reserved once: the run that died is going on.

        Raises:
            BudgetError: if all releases together would have an epsilon above the budget, at this release's delta.
            InputError: if the release was published before, or its id belongs to other vectors.
        """
        entry = replace(entry, state="reserved")
        with self._writing() as database:
            found = [Entry(*row) for row in database.execute("select * from releases order by at, rowid")]
            same = next((other for other in found if other.id == entry.id), entry)
            if same.state in ("sealed", "published"):
                raise InputError(f"the release {entry.id} was published before: it is not drawn again")
            if same.identity != entry.identity:
                raise InputError(f"{self.path} has a release {entry.id} of other vectors: give this one another id")
            earlier = [other for other in found if other.id != entry.id and _counts(other, entry)]
            spent = epsilon_of(composed_mu([*(other.mu for other in earlier), entry.mu]), entry.delta)
            if budget is not None and not spent <= budget:
                raise BudgetError(
                    f"with this release {len(earlier) + 1} releases of these vectors would have epsilon {spent:.4g} "
                    f"at delta {entry.delta:.3g}, above the budget of {budget:g}: choose a smaller epsilon"
                )
            database.execute("insert or replace into releases values (?,?,?,?,?,?,?,?,?,?)", _row(entry))
        return earlier

    def seal(self, release: str, files: list[SealedFile]) -> None:
        """Enter that the files of a release lie ready; from now on they will be published, by whoever comes next.

        Raises:
            InputError: if the release is not reserved (any longer).
        """
        query = "update releases set state = 'sealed' where id = ? and state = 'reserved'"
        with self._writing() as database:
            if not database.execute(query, (release,)).rowcount:
                raise InputError(f"{self.path} has no reserved release {release!r}: it is not published")
            for position, file in enumerate(files):
                row = (release, str(file.ready.absolute()), str(file.place.absolute()), file.sha256, position)
                database.execute("insert into files values (?,?,?,?,?)", row)

    def publish_sealed(self) -> list[str]:
        """Put the files of all sealed releases at their places and return the ids of these releases.

        Raises:
            InputError: if a file is gone or not what was sealed; all other releases are published nevertheless.
        """
        published, errors = [], []
        for entry in [entry for entry in self.entries() if entry.state == "sealed"]:
            try:
                published += [entry.id] if self._publish(entry.id) else []
            except (OSError, InputError) as error:
                errors.append(f"the release {entry.id} cannot be finished: {error}")
        if errors:
            raise InputError("; ".join(errors))
        return published

    def _publish(self, release: str) -> bool:
        """Publish one sealed release; False if another process was quicker."""
        with self._writing() as database:
            state = database.execute("select state from releases where id = ?", (release,)).fetchone()
            if state != ("sealed",):
                return False
            query = "select ready, place, sha256 from files where release = ? order by position"
            for ready, place, sha256 in database.execute(query, (release,)).fetchall():
                SealedFile(Path(ready), Path(place), sha256).settle()
            database.execute("update releases set state = 'published' where id = ?", (release,))
        return True

    def salted(self, identity: str) -> str:
        """Return a hash of an identity that tells its owner the vectors, and nobody else."""
        with self._writing() as database:
            database.execute("insert or ignore into secrets values ('salt', ?)", (os.urandom(32),))
            (salt,) = database.execute("select value from secrets where name = 'salt'").fetchone()
        return hmac.new(salt, identity.encode(), "sha256").hexdigest()

    def cancel(self, release: str) -> None:
        """Enter that a reserved release will never be published: it does not count any longer.

        Raises:
            InputError: if there is no such release, or it is not merely reserved.
        """
        with self._writing() as database:
            changed = database.execute(
                "update releases set state = 'cancelled' where id = ? and state = 'reserved'", (release,)
            ).rowcount
        if not changed:
            raise InputError(f"{self.path} has no reserved release {release!r}")

    def cancel_reserved(self, release: str) -> None:
        """Cancel a release if it is merely reserved: nothing of it was sealed, so nothing will be published."""
        with self._writing() as database:
            database.execute("update releases set state = 'cancelled' where id = ? and state = 'reserved'", (release,))

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(sqlite3.connect(self.path, timeout=_WAIT, isolation_level=None)) as database:
                yield database
        except sqlite3.Error as error:
            raise InputError(f"the ledger {self.path} cannot be used: {error}") from error

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Hold the ledger against all other writers until the end, then keep all or nothing."""
        with self._connected() as database:
            database.execute("pragma synchronous = full")
            database.execute("begin immediate")
            try:
                yield database
            except BaseException:
                database.execute("rollback")
                raise
            database.execute("commit")


def _counts(other: Entry, entry: Entry) -> bool:
    """Return whether a release counts among those of an entry's vectors."""
    return other.identity == entry.identity and other.state != "cancelled"


def _row(entry: Entry) -> tuple[str | float, ...]:
    return tuple(vars(entry).values())


def identity_of(embeddings: Embeddings) -> str:
    """Return what tells the same words with the same vectors, in whatever order: a hash of the sorted pairs."""
    words, vectors = embeddings.words.tolist(), embeddings.vectors + np.float32(0)  # -0.0 becomes 0.0
    digest = hashlib.sha256(f"{len(words)} {embeddings.dimension}\n".encode())
    for row in sorted(range(len(words)), key=words.__getitem__):
        word = words[row].encode()
        digest.update(len(word).to_bytes(8, "little") + word + vectors[row].astype("<f4").tobytes())
    return digest.hexdigest()
