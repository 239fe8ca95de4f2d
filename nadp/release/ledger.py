"""The ledger: the releases of each series, and the privacy budget that they spend together.

It is a small SQLite file. A release is reserved before its noise is drawn, sealed when its files are ready next to
their places, and published when they are in place. A reserved release counts as spent until it is cancelled manually.
The next release, of any vectors, completes a sealed one, so the state is clear even after a run has died midway.
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
from nadp.release.places import default_ledger
from nadp.release.schema import DELTA, prepared, reading, writing
from nadp.release.series import Hashes, hashed, merge, series_of, words_after

State = Literal["reserved", "sealed", "published", "cancelled"]


@dataclass(frozen=True)
class Entry:
    """The entry of one release in the ledger.

    Attributes:
        id: id of the release.
        identity: identity of the vectors, see Embeddings.identity.
        graph: the parameters that define neighbouring words.
        mechanism: mechanism of the release.
        epsilon: its privacy budget.
        delta: its probability of failure.
        mu: its mu of Gaussian differential privacy.
        state: "reserved", "sealed", "published" or "cancelled".
        at: time of the reservation.
        out: path of its vectors.
        series: series whose budget it spends; set by the ledger.
        least_noise: the smallest standard deviation of any word's noise; None if not recorded.
        sizing: a fingerprint of the noise calibration, see Basis.sizing; empty if not recorded.
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
    """The ledger of everyone who shares its file: users of a folder, a team or a company.

    Args:
        path: the file, which only its owner can read; default: the path that default_ledger returns.
        delta: the delta at which budgets are stated, fixed when the file is created; 1e-6 by default.

    Raises:
        InputError: if the file cannot be used, has a newer version, or was created with another delta.
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
            reason = str(error).removeprefix(f"the ledger {path} cannot be used: ")  # as of a file that SQLite refuses
            raise InputError(f"the ledger {path} cannot be used: {reason}") from error

    def entries(self, identity: str | None = None) -> list[Entry]:
        """Return all releases, or the releases of some vectors, oldest first."""
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
        """Reserve a release, and return the earlier releases of its series. The state of `entry` is ignored.

        An id that is already reserved is not reserved twice: this run continues one that died.

        Args:
            entry: the release.
            budget: largest epsilon of all releases of the series together, at the ledger's delta. The first budget of a
                series is stored; later, the smaller of the two applies.
            words: words of the table, which determine its series.
            series: name of the series; default: the series that the table belongs to, or a new one.
            unrelated: whether the user declares the table unrelated to other series with the same words.

        Raises:
            BudgetError: if the composed mu of all releases would exceed the budget's mu.
            InputError: if the release was published before, its id belongs to other vectors, or the table belongs to
                another series.
        """
        _ = epsilon_of(entry.mu, entry.delta)  # refuses values out of range
        salt = self._salt()
        with writing(self.path) as database:
            releases = [Entry(*row) for row in database.execute("select * from releases order by at, rowid")]
            same_release = next((release for release in releases if release.id == entry.id), None)
            if same_release and same_release.state in ("sealed", "published"):
                raise InputError(f"the release {entry.id} was published before: it is not drawn again")
            if same_release and same_release.identity != entry.identity:
                raise InputError(f"{self.path} has a release {entry.id} of other vectors: give this one another id")
            if same_release and same_release.state == "reserved" and same_release.mu > entry.mu:
                raise InputError(  # the other run may be alive, and may publish what it has reserved
                    f"the release {entry.id} is reserved with an epsilon of {same_release.epsilon:g} at delta "
                    f"{same_release.delta:.3g}: cancel it, or give this one another id"
                )
            word_hashes = hashed(words, salt)
            name = series_of(database, word_hashes, entry.identity, series, unrelated=unrelated)
            entry = replace(entry, state="reserved", series=name)
            query = "select * from releases where series = ? and state != 'cancelled' and id != ? order by at, rowid"
            earlier = [Entry(*row) for row in database.execute(query, (name, entry.id))]
            self._spend(database, entry, earlier, budget)
            (recorded,) = database.execute("select words from series where name = ?", (name,)).fetchone()
            words_now = words_after(recorded, word_hashes)
            database.execute("update series set words = ? where name = ?", (words_now, name))
            database.execute("insert or replace into releases values (?,?,?,?,?,?,?,?,?,?,?,?,?)", _row(entry))
        return earlier

    def _spend(self, database: sqlite3.Connection, entry: Entry, earlier: list[Entry], budget: float | None) -> None:
        """Refuse a release that exceeds the budget of its series, and store the first budget of a series.

        The mu of the budget at the ledger's delta is compared with the composed mu of all releases.

        Raises:
            BudgetError: if the release exceeds the budget.
        """
        database.execute("insert or ignore into series (name) values (?)", (entry.series,))
        (recorded_budget,) = database.execute("select budget from series where name = ?", (entry.series,)).fetchone()
        limits = [limit for limit in (budget, recorded_budget) if limit is not None]
        if not limits:
            return
        mu = composed_mu([*(release.mu for release in earlier), entry.mu])
        if not mu <= mu_of(noise_multiplier(min(limits), self.delta)):
            raise BudgetError(
                f"with this release {len(earlier) + 1} releases of the series {entry.series!r} would have epsilon "
                f"{epsilon_of(mu, self.delta):.4g} at delta {self.delta:.3g}, above the budget of {min(limits):g}: "
                "choose a smaller epsilon"
            )
        if recorded_budget is None:
            database.execute("update series set budget = ? where name = ?", (budget, entry.series))

    def set_budget(self, series: str, budget: float | None) -> None:
        """Set the budget of a series (an epsilon at the ledger's delta), or remove it."""
        if budget is not None:
            _ = noise_multiplier(budget, self.delta)  # refuses values out of range
        with writing(self.path) as database:
            database.execute("insert or ignore into series (name) values (?)", (series,))
            database.execute("update series set budget = ? where name = ?", (budget, series))

    def merge(self, series: str, into: str) -> None:
        """Move the releases of one series to another. Series from ledgers of version 0.1 may need this.

        If both have a budget, the smaller one applies.

        Raises:
            InputError: if there is no such series.
        """
        with writing(self.path) as database:
            if database.execute("select 1 from series where name = ?", (series,)).fetchone() is None:
                raise InputError(f"{self.path} has no series {series!r}")
            merge(database, series, into)

    def seal(self, release: str, files: list[SealedFile]) -> None:
        """Record that the files of a release are ready. From now on, this or the next process publishes them.

        Raises:
            InputError: if the release is not reserved.
        """
        query = "update releases set state = 'sealed' where id = ? and state = 'reserved'"
        with writing(self.path) as database:
            if not database.execute(query, (release,)).rowcount:
                raise InputError(f"{self.path} has no reserved release {release!r}: it is not published")
            for position, file in enumerate(files):
                row = (release, str(file.ready.absolute()), str(file.place.absolute()), file.sha256, position)
                database.execute("insert into files values (?,?,?,?,?)", row)

    def publish_sealed(self, release: str | None = None) -> list[str]:
        """Move the files of sealed releases to their places and return the ids of these releases.

        Args:
            release: id of the only release to publish; None for all.

        Raises:
            InputError: if a file is missing or has changed since it was sealed; all other releases are still published.
        """
        published, errors = [], []
        for entry in [each for each in self.entries() if each.state == "sealed" and release in (None, each.id)]:
            try:
                published += [entry.id] if self._publish(entry.id) else []
            except (OSError, InputError) as error:
                errors.append(f"the release {entry.id} cannot be finished: {error}")
        if errors:
            raise InputError("; ".join(errors))
        return published

    def _publish(self, release: str) -> bool:
        """Publish one sealed release; False if another process did so first."""
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
        """Return a salted hash of an identity, which only the owner of the ledger can link to the vectors."""
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
        """Cancel a reserved release: it will never be published, and it no longer counts as spent.

        Raises:
            InputError: if there is no such release, or it is not reserved.
        """
        with writing(self.path) as database:
            changed = database.execute(
                "update releases set state = 'cancelled' where id = ? and state = 'reserved'", (release,)
            ).rowcount
        if not changed:
            raise InputError(f"{self.path} has no reserved release {release!r}")

    def cancel_reserved(self, release: str) -> None:
        """Cancel a release if it is reserved but not sealed; no part of it will be published."""
        with writing(self.path) as database:
            database.execute("update releases set state = 'cancelled' where id = ? and state = 'reserved'", (release,))


def _row(entry: Entry) -> tuple[str | float | None, ...]:
    return tuple(vars(entry).values())
