"""The ledger: which releases of a series there are, and what they spend together.

A small SQLite file. A release is reserved before its noise is drawn, sealed when its files lie ready beside their
places, and published when they are at their places. A reserved release counts as spent until it is cancelled by hand;
a sealed one is finished by the next release of whatever vectors, so a run that dies in the middle leaves no doubt.
"""

import hmac
import os
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from nadp.calibration import composed_mu, epsilon_of, mu_of, noise_multiplier
from nadp.errors import BudgetError, InputError
from nadp.files.durable import make_private
from nadp.files.sealing import SealedFile
from nadp.release.schema import DELTA, prepared, reading, writing
from nadp.release.series import Hashes, hashed, merge, series_of

State = Literal["reserved", "sealed", "published", "cancelled"]


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
        series: whose budget it spends; set by the ledger.
        least_noise: the least standard deviation of any word's noise; None where that was not recorded.
        sizing: a fingerprint of what sizes each word's noise, see Basis.sizing; empty where that was not recorded.
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
    series: str = ""
    least_noise: float | None = None
    sizing: str = ""


class Ledger:
    """The releases of a folder, a team, a company: whoever shares the file.

    Args:
        path: the file, made for its owner's eyes only if there is none; default that of default_ledger.
        delta: at which budgets are kept, fixed when the file is made: 1e-6 by default.

    Raises:
        InputError: if the file cannot be used, is of a newer version, or was made with another delta.
    """

    def __init__(self, path: Path | None = None, delta: float | None = None) -> None:
        self.path = path = default_ledger() if path is None else path
        if not 0 < (DELTA if delta is None else delta) < 1:
            raise InputError(f"delta must lie strictly between 0 and 1, not {delta!r}")
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            make_private(path)
        except OSError as error:
            raise InputError(f"no ledger can be kept at {path}: {error}") from error
        try:
            with writing(self.path) as database:
                self.delta = prepared(database, delta)
        except ValueError as error:
            raise InputError(f"the ledger {path} cannot be used: {error}") from error

    def entries(self, identity: str | None = None) -> list[Entry]:
        """Return all releases, or those of some vectors, the oldest first."""
        with reading(self.path) as database:
            rows = database.execute("select * from releases order by at, rowid").fetchall()
        return [entry for entry in (Entry(*row) for row in rows) if identity in (None, entry.identity)]

    def entry(self, release: str) -> Entry | None:
        """Return a release by its id, if there is one."""
        return next((entry for entry in self.entries() if entry.id == release), None)

    def reserve(
        self,
        entry: Entry,
        budget: float | None = None,
        words: Iterable[str] = (),
        *,
        series: str | None = None,
        unrelated: bool = False,
    ) -> list[Entry]:
        """Enter a release as reserved, whatever its state says, and return the earlier ones of its series.

        A release whose id is reserved already is reserved once: the run that died is going on.

        Args:
            entry: the release.
            budget: largest epsilon of all releases of the series together, at the ledger's delta. The first that a
                series is given is kept with it; afterwards the smaller of the two holds.
            words: of the table, which tell its series.
            series: name of the series; default the one that the table belongs to, or one of its own.
            unrelated: whether the table has nothing to do with other series that have its words.

        Raises:
            BudgetError: if all releases together would have a mu above that of the budget.
            InputError: if the release was published before, its id belongs to other vectors, or the table to another
                series.
        """
        _ = epsilon_of(entry.mu, entry.delta)  # refuses what is out of range
        salt = self._salt()
        with writing(self.path) as database:
            found = [Entry(*row) for row in database.execute("select * from releases order by at, rowid")]
            same = next((other for other in found if other.id == entry.id), None)
            if same and same.state in ("sealed", "published"):
                raise InputError(f"the release {entry.id} was published before: it is not drawn again")
            if same and same.identity != entry.identity:
                raise InputError(f"{self.path} has a release {entry.id} of other vectors: give this one another id")
            kept = hashed(words, salt)
            name = series_of(database, kept, entry.identity, series, unrelated=unrelated)
            entry = replace(entry, state="reserved", series=name)
            query = "select * from releases where series = ? and state != 'cancelled' and id != ? order by at, rowid"
            earlier = [Entry(*row) for row in database.execute(query, (name, entry.id))]
            self._spend(database, entry, earlier, budget)
            database.execute("update series set words = ? where name = ?", (kept.tobytes() or None, name))
            database.execute("insert or replace into releases values (?,?,?,?,?,?,?,?,?,?,?,?,?)", _row(entry))
        return earlier

    def _spend(self, database: sqlite3.Connection, entry: Entry, earlier: list[Entry], budget: float | None) -> None:
        """Refuse a release that exceeds the budget of its series, and keep the first budget that the series is given.

        Budgets are compared as mu: of the budget at the ledger's delta, and of all releases together.

        Raises:
            BudgetError: if it does.
        """
        database.execute("insert or ignore into series (name) values (?)", (entry.series,))
        (kept,) = database.execute("select budget from series where name = ?", (entry.series,)).fetchone()
        limits = [limit for limit in (budget, kept) if limit is not None]
        if not limits:
            return
        mu = composed_mu([*(other.mu for other in earlier), entry.mu])
        if not mu <= mu_of(noise_multiplier(min(limits), self.delta)):
            raise BudgetError(
                f"with this release {len(earlier) + 1} releases of the series {entry.series!r} would have epsilon "
                f"{epsilon_of(mu, self.delta):.4g} at delta {self.delta:.3g}, above the budget of {min(limits):g}: "
                "choose a smaller epsilon"
            )
        if kept is None:
            database.execute("update series set budget = ? where name = ?", (budget, entry.series))

    def set_budget(self, series: str, budget: float | None) -> None:
        """Give a series another budget, an epsilon at the ledger's delta, or none."""
        if budget is not None:
            _ = noise_multiplier(budget, self.delta)  # refuses what is out of range
        with writing(self.path) as database:
            database.execute("insert or ignore into series (name) values (?)", (series,))
            database.execute("update series set budget = ? where name = ?", (budget, series))

    def merge(self, series: str, into: str) -> None:
        """Count the releases of one series to another, such as those that a ledger of 0.1 has of last week."""
        with writing(self.path) as database:
            merge(database, series, into)

    def seal(self, release: str, files: list[SealedFile]) -> None:
        """Enter that the files of a release lie ready; from now on they will be published, by whoever comes next.

        Raises:
            InputError: if the release is not reserved (any longer).
        """
        query = "update releases set state = 'sealed' where id = ? and state = 'reserved'"
        with writing(self.path) as database:
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
        with writing(self.path) as database:
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
        return hmac.new(self._salt(), identity.encode(), "sha256").hexdigest()

    def hashed(self, words: Iterable[str]) -> Hashes:
        """Return the ascending salted hashes of words."""
        return hashed(words, self._salt())

    def _salt(self) -> bytes:
        with writing(self.path) as database:
            database.execute("insert or ignore into secrets values ('salt', ?)", (os.urandom(32),))
            (salt,) = database.execute("select value from secrets where name = 'salt'").fetchone()
        return bytes(salt)

    def cancel(self, release: str) -> None:
        """Enter that a reserved release will never be published: it does not count any longer.

        Raises:
            InputError: if there is no such release, or it is not merely reserved.
        """
        with writing(self.path) as database:
            changed = database.execute(
                "update releases set state = 'cancelled' where id = ? and state = 'reserved'", (release,)
            ).rowcount
        if not changed:
            raise InputError(f"{self.path} has no reserved release {release!r}")

    def cancel_reserved(self, release: str) -> None:
        """Cancel a release if it is merely reserved: nothing of it was sealed, so nothing will be published."""
        with writing(self.path) as database:
            database.execute("update releases set state = 'cancelled' where id = ? and state = 'reserved'", (release,))


def default_ledger() -> Path:
    """Return where the ledger lies unless it is said otherwise: in NADP_HOME, or nadp in the user's cache folder.

    Raises:
        InputError: if NADP_HOME is a URL: a cache that may be wiped must not hold what was spent.
    """
    home = os.environ.get("NADP_HOME")
    if home and "://" in home:
        raise InputError(f"give the file of the ledger: NADP_HOME is {home.rstrip('/')}, and SQLite cannot work there")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(home or cache / "nadp").absolute() / "ledger.sqlite"


def graphs_beside(ledger: Path) -> Path:
    """Return the folder of the graphs of releases that a ledger has, each named by its SHA-256."""
    return ledger.parent / "graphs"


def _row(entry: Entry) -> tuple[str | float | None, ...]:
    return tuple(vars(entry).values())
