import contextlib
import hmac
import json
import math
import os
import re
import sqlite3
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import norm

from nadp import Embeddings, InputError
from nadp.calibration import mu_of, noise_multiplier
from nadp.files.durable import sha256_of
from nadp.files.sealing import SealedFile
from nadp.release.certificate import composition
from nadp.release.ledger import BudgetError, Entry, Ledger
from nadp.release.places import default_ledger
from tests.nadp.release.worker import FILES, drawn, entry, life

ROOT = Path(__file__).parents[3]
DELTA = 1e-6


def closed_form(mu, delta=DELTA):
    """The epsilon at which a mu of Gaussian differential privacy reaches delta (Dong, Roth and Su, corollary 2.13)."""
    return brentq(
        lambda e: norm.cdf(mu / 2 - e / mu) - math.exp(e) * norm.cdf(-mu / 2 - e / mu) - delta, 0, 100, xtol=1e-13
    )


@pytest.fixture
def ledger(tmp_path):
    return Ledger(tmp_path / "ledger.sqlite")


def states(ledger):
    return {each.id: each.state for each in ledger.entries()}


def sealed(ledger, folder, release="mine"):
    """A release that is sealed; return its files."""
    folder.mkdir(parents=True, exist_ok=True)
    ledger.reserve(entry(release))
    files = drawn(folder)
    ledger.seal(release, files)
    return files


def at_their_places(files):
    return all(sha256_of(file.place) == file.sha256 and not file.ready.exists() for file in files)


def worker(*arguments):
    command = [sys.executable, "-m", "tests.nadp.release.worker", *map(str, arguments)]
    one_thread = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    subprocess.run(command, cwd=ROOT, env=os.environ | one_thread, check=True, timeout=300)


def together(folder, action, path, *arguments):
    """What comes of six processes that start at the same moment."""
    folder.mkdir()
    worker("together", action, path, folder, *arguments)
    return [json.loads(file.read_text()) for file in sorted(folder.iterdir())]


@pytest.mark.parametrize("mu", [0.05, 0.5, 1.0, 3.0])
def test_equal_releases_guarantee_together_what_one_with_a_root_of_their_number_does(mu):
    for k in (1, 2, 4, 9):
        found = composition([mu] * k, DELTA, "a note")
        assert (found.releases, found.note) == (k, "a note")
        assert found.mu == pytest.approx(mu * math.sqrt(k), rel=1e-14)
        assert found.epsilon == pytest.approx(closed_form(mu * math.sqrt(k)), rel=1e-8)
        assert found.epsilon >= closed_form(mu * math.sqrt(k)) - 1e-11


@pytest.mark.parametrize("k", [1, 2, 5])
def test_a_budget_allows_as_many_equal_releases_as_the_closed_form(ledger, k):
    budget = closed_form(math.sqrt(k)) + 1e-6
    for number in range(k):
        earlier = ledger.reserve(entry(f"r{number}"), budget)
        assert [other.id for other in earlier] == [f"r{i}" for i in range(number)]
    before = ledger.entries()
    with pytest.raises(BudgetError) as caught:
        ledger.reserve(entry("one more"), budget)
    assert ledger.entries() == before
    message = str(caught.value)
    assert f"{k + 1} releases" in message
    for figure in (f"epsilon {closed_form(math.sqrt(k + 1)):.4g}", f"delta {DELTA:.3g}", f"budget of {budget:g}"):
        assert figure in message


def test_unequal_releases_add_their_squares_at_the_delta_of_the_ledger_whatever_theirs(ledger):
    """A larger delta buys nothing: the budget is kept in mu."""
    ledger.reserve(entry("a", mu=0.6, delta=1e-9))
    ledger.reserve(entry("b", mu=0.8, delta=1e-3))
    together_ = closed_form(math.sqrt(0.36 + 0.64 + 4))
    for delta in (1e-9, 1e-5, 0.5):
        with pytest.raises(BudgetError):
            ledger.reserve(entry("c", mu=2.0, delta=delta), together_ - 1e-6)
    assert len(ledger.reserve(entry("c", mu=2.0, delta=0.5), together_ + 1e-6)) == 2


@pytest.mark.parametrize("epsilon", [0.1, 0.3, 0.5, 1.0, 2.0, 3.0, 5.0, 7.0, 9.0])
def test_an_epsilon_that_is_exactly_the_budget_passes_and_leaves_nothing(ledger, epsilon):
    mu = mu_of(noise_multiplier(epsilon, DELTA))
    ledger.reserve(entry("one", mu=mu, epsilon=epsilon), epsilon)
    with pytest.raises(BudgetError):
        ledger.reserve(entry("two", mu=mu / 100), epsilon)


def test_the_delta_of_a_ledger_is_fixed_when_it_is_made(tmp_path):
    path = tmp_path / "ledger.sqlite"
    assert Ledger(path, 1e-8).delta == Ledger(path).delta == 1e-8
    with pytest.raises(InputError, match="1e-08"):
        Ledger(path, 1e-6)
    Ledger(path).reserve(entry("one", mu=mu_of(noise_multiplier(1.0, 1e-8))), 1.0)
    for bad in (0.0, 1.0, math.nan):
        with pytest.raises(InputError, match="delta"):
            Ledger(tmp_path / "other.sqlite", bad)


def test_a_budget_stays_with_its_series_until_it_is_set_again(ledger):
    ledger.reserve(entry("one"), closed_form(1.0) + 1e-6)
    for later in (None, 1e6):
        with pytest.raises(BudgetError):
            ledger.reserve(entry("two"), later)
    ledger.set_budget("vectors", closed_form(math.sqrt(2)) + 1e-6)
    ledger.reserve(entry("two"))
    with pytest.raises(BudgetError):
        ledger.reserve(entry("three"))
    ledger.set_budget("vectors", None)
    assert len(ledger.reserve(entry("three"))) == 2


WORDS = [f"w{i}" for i in range(100)]


def of_series(ledger, release, words, identity, **more):
    ledger.reserve(entry(release, identity=identity), None, words, **more)
    return next(each.series for each in ledger.entries() if each.id == release)


def test_a_table_with_nine_tenths_of_the_words_of_a_series_joins_it(ledger):
    """Whatever its vectors: each week's training changes them all."""
    assert of_series(ledger, "1", WORDS, "v1", series="weekly") == "weekly"
    assert of_series(ledger, "2", WORDS[:90] + [f"new{i}" for i in range(50)], "v2") == "weekly"
    assert of_series(ledger, "3", WORDS[:90][::-1] + [f"new{i}" for i in range(50)], "v3", series="weekly") == "weekly"
    assert of_series(ledger, "4", WORDS[:89] + [f"other{i}" for i in range(50)], "v4") == "v4"
    assert of_series(ledger, "5", WORDS[10:20], "v5") == "weekly"  # a part of it is no other table


def test_a_table_of_another_series_is_refused_unless_it_is_declared_unrelated(ledger):
    of_series(ledger, "1", WORDS, "v1", series="weekly")
    with pytest.raises(InputError, match="'weekly'"):
        of_series(ledger, "2", WORDS, "v2", series="daily")
    with pytest.raises(InputError, match="series"):
        of_series(ledger, "2", WORDS, "v2", unrelated=True)
    assert of_series(ledger, "2", WORDS, "v2", series="daily", unrelated=True) == "daily"
    assert [each.id for each in ledger.reserve(entry("3", identity="v3"), None, WORDS, series="daily")] == ["2"]
    with pytest.raises(InputError, match="several series"):
        of_series(ledger, "4", WORDS, "v4")


def test_a_series_that_had_no_name_gets_the_one_it_is_given_with_all_that_it_spent(ledger):
    of_series(ledger, "1", WORDS, "v1")
    of_series(ledger, "2", WORDS, "v2")
    assert {each.series for each in ledger.entries()} == {"v1"}
    assert len(ledger.reserve(entry("3", identity="v3"), None, WORDS, series="weekly")) == 2
    assert {each.series for each in ledger.entries()} == {"weekly"}


def test_a_reserved_release_cannot_be_replaced_by_one_that_spends_less(ledger):
    """Else a run that is still at work would publish more than the ledger holds."""
    ledger.reserve(entry("1", mu=1.0))
    with pytest.raises(InputError, match="the release 1 is reserved"):
        ledger.reserve(entry("1", mu=0.5))
    ledger.reserve(entry("1", mu=1.0))
    ledger.cancel("1")
    ledger.reserve(entry("1", mu=0.5))
    assert [each.mu for each in ledger.entries()] == [0.5]


def test_the_same_vectors_cannot_be_declared_unrelated_to_themselves(ledger):
    of_series(ledger, "1", WORDS, "v1", series="weekly")
    with pytest.raises(InputError, match=r"same vectors.*'weekly'"):
        of_series(ledger, "2", WORDS, "v1", series="daily", unrelated=True)
    assert of_series(ledger, "2", WORDS, "v1", series="weekly", unrelated=True) == "weekly"


@pytest.mark.parametrize("state", ["reserved", "cancelled"])
@pytest.mark.parametrize("words", [["x", "y"], WORDS[:5], []])
def test_a_series_is_still_recognised_after_another_table_of_it(ledger, words, state):
    of_series(ledger, "1", WORDS, "v1", series="weekly")
    of_series(ledger, "2", words, "v2", series="weekly")
    if state == "cancelled":
        ledger.cancel("2")
    assert of_series(ledger, "3", WORDS[7:], "v3") == "weekly"


def test_a_series_follows_a_vocabulary_that_changes(ledger):
    words = [f"w{i}" for i in range(300)]
    of_series(ledger, "0", words[:100], "v0", series="weekly")
    for week in range(1, 20):
        assert of_series(ledger, str(week), words[5 * week : 5 * week + 99], f"v{week}") == "weekly"


def budget_of(ledger, series):
    with contextlib.closing(sqlite3.connect(ledger.path)) as database:
        return database.execute("select budget from series where name = ?", (series,)).fetchone()[0]


@pytest.mark.parametrize("budgets", [(8, None), (None, 8), (8, 20), (20, 8)])
def test_of_two_series_that_become_one_the_smaller_budget_applies(ledger, budgets):
    ledger.reserve(entry("1", identity="v1", mu=0.1), budgets[0], WORDS)
    others = [f"x{i}" for i in range(50)]
    ledger.reserve(entry("2", identity="v2", mu=0.1), budgets[1], others, series="weekly")
    ledger.reserve(entry("3", identity="v3", mu=0.1), None, WORDS, series="weekly")
    assert budget_of(ledger, "weekly") == 8
    assert {each.series for each in ledger.entries()} == {"weekly"}
    assert of_series(ledger, "4", others, "v4") == "weekly"


def test_a_series_that_is_merged_with_itself_stays_as_it_is(ledger):
    ledger.reserve(entry("1"), 8, WORDS, series="weekly")
    ledger.merge("weekly", "weekly")
    assert budget_of(ledger, "weekly") == 8
    assert of_series(ledger, "2", WORDS, "v2") == "weekly"


def test_a_series_that_does_not_exist_is_not_merged(ledger):
    ledger.reserve(entry("1"), 8, WORDS, series="weekly")
    with pytest.raises(InputError, match="'wekly'"):
        ledger.merge("wekly", "other")


OLD = """
create table releases (id text primary key, identity text not null, graph text not null, mechanism text not null,
    epsilon real not null, delta real not null, mu real not null,
    state text not null check (state in ('reserved', 'sealed', 'published', 'cancelled')),
    at text not null, out text not null);
create table secrets (name text primary key, value blob not null);
create table files (release text not null references releases (id), ready text not null, place text not null,
    sha256 text not null, position integer not null);
insert into secrets values ('salt', x'0102');
insert into releases values ('old', 'vectors', 'g', 'nadp', 2, 1e-6, 1.0, 'published', '2025', 'o');
insert into releases values ('last week', 'others', 'g', 'nadp', 2, 1e-6, 1.0, 'published', '2025', 'o');
insert into releases values ('gone', 'vectors', 'g', 'nadp', 2, 1e-6, 9.0, 'cancelled', '2025', 'o');
"""


def test_a_ledger_of_0_1_is_migrated_with_what_it_has_spent(tmp_path):
    path = tmp_path / "ledger.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.executescript(OLD)
    ledger = Ledger(path)
    assert ledger.salted("x") == hmac.new(b"\x01\x02", b"x", "sha256").hexdigest()
    assert states(Ledger(path)) == {"old": "published", "last week": "published", "gone": "cancelled"}
    budget = closed_form(math.sqrt(2)) + 1e-6
    assert [each.id for each in ledger.reserve(entry("new"), budget, WORDS, series="weekly")] == ["old"]
    ledger.merge("others", "weekly")
    with pytest.raises(BudgetError, match="4 releases"):
        ledger.reserve(entry("next", identity="v2", mu=1e-3), None, WORDS)
    with contextlib.closing(sqlite3.connect(path)) as database:
        assert database.execute("pragma user_version").fetchone() == (3,)


def test_a_ledger_that_holds_no_sizing_yet_is_migrated_and_keeps_its_releases(tmp_path):
    path = tmp_path / "ledger.sqlite"
    Ledger(path).reserve(entry("old", least_noise=0.5), None, WORDS, series="weekly")
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.executescript("alter table releases drop column sizing; pragma user_version = 2")
    (kept,) = Ledger(path).entries()
    assert kept == entry("old", least_noise=0.5, series="weekly", sizing="")
    Ledger(path).reserve(entry("new", sizing="one graph"))
    assert [each.sizing for each in Ledger(path).entries()] == ["", "one graph"]


def test_a_ledger_of_a_newer_version_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "ledger.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute("pragma user_version = 4")
    before = path.read_bytes()
    with pytest.raises(InputError, match="version 4"):
        Ledger(path)
    assert path.read_bytes() == before


def test_a_file_that_is_no_database_is_refused_with_its_name_once(tmp_path):
    path = tmp_path / "ledger.sqlite"
    path.write_text("the 0.1 0.2\n" * 100)
    with pytest.raises(InputError) as caught:
        Ledger(path)
    assert str(caught.value) == f"the ledger {path} cannot be used: file is not a database"


def test_the_default_ledger_lies_in_the_home_of_nadp(tmp_path, monkeypatch):
    monkeypatch.setenv("NADP_HOME", str(tmp_path / "home"))
    assert default_ledger() == Ledger().path == tmp_path / "home" / "ledger.sqlite"
    assert default_ledger().stat().st_mode & 0o777 == 0o600
    assert default_ledger().parent.stat().st_mode & 0o777 == 0o700
    monkeypatch.setenv("NADP_HOME", "s3://somewhere/nadp")
    with pytest.raises(InputError, match="s3://somewhere"):
        Ledger()
    monkeypatch.delenv("NADP_HOME")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_ledger() == tmp_path / "nadp" / "ledger.sqlite"


def test_reserved_sealed_and_published_releases_count_and_cancelled_and_foreign_ones_do_not(ledger, tmp_path):
    sealed(ledger, tmp_path / "published", "published")
    ledger.publish_sealed()
    sealed(ledger, tmp_path / "sealed", "sealed")
    for release in ("reserved", "cancelled"):
        ledger.reserve(entry(release))
    ledger.cancel("cancelled")
    ledger.reserve(entry("foreign", mu=30.0, identity="other vectors"))
    two = closed_form(math.sqrt(4)) + 1e-6
    assert {other.id for other in ledger.reserve(entry("new"), two)} == {"published", "sealed", "reserved"}
    with pytest.raises(BudgetError, match="5 releases"):
        ledger.reserve(entry("newer"), two)


def test_the_entries_are_those_that_were_made_the_oldest_first(ledger):
    made = [entry(f"r{day}", mu=day / 10, at=f"2026-01-{day:02}T00:00:00") for day in (9, 1, 5)]
    made.append(entry("foreign", identity="other vectors", at="2026-01-03T00:00:00"))
    for each in made:
        ledger.reserve(each)
    made = [replace(each, series=each.identity) for each in made]
    assert ledger.entries() == sorted(made, key=lambda each: each.at)
    assert Ledger(ledger.path).entries("other vectors") == [made[-1]]
    assert ledger.entries("no vectors") == []


def test_a_reserved_release_is_reserved_once_more_but_counts_once(ledger):
    budget = closed_form(math.sqrt(2)) + 1e-6
    ledger.reserve(entry("other"), budget)
    for _ in range(3):
        assert [other.id for other in ledger.reserve(entry("mine"), budget)] == ["other"]
    assert states(ledger) == {"other": "reserved", "mine": "reserved"}


@pytest.mark.parametrize("identity", ["vectors", "other vectors"])
def test_what_was_sealed_or_published_cannot_be_reserved_again(ledger, tmp_path, identity):
    sealed(ledger, tmp_path)
    for state in ("sealed", "published"):
        before = ledger.entries()
        assert before[0].state == state
        with pytest.raises(InputError, match="mine was published before"):
            ledger.reserve(entry("mine", identity=identity))
        assert ledger.entries() == before
        ledger.publish_sealed()


@pytest.mark.parametrize("state", ["cancelled", "published", "sealed"])
def test_what_is_reserved_is_entered_as_reserved(ledger, state):
    """Whatever the entry says: one that came in as cancelled would not count."""
    ledger.reserve(entry("mine", state=state))
    assert states(ledger) == {"mine": "reserved"}


@pytest.mark.parametrize("bad", [{"mu": 0.0}, {"mu": math.nan}, {"mu": math.inf}, {"delta": 0.0}, {"delta": 1.0}])
def test_a_release_that_guarantees_nothing_is_refused_and_not_entered(ledger, bad):
    with pytest.raises(InputError):
        ledger.reserve(entry("mine", **bad), 1e6)
    assert not ledger.entries()


@pytest.mark.parametrize("budget", [0.0, -1.0, math.nan])
def test_a_budget_that_is_none_allows_nothing(ledger, budget):
    with pytest.raises(InputError):
        ledger.reserve(entry("mine"), budget)
    assert not ledger.entries()


def test_only_a_reserved_release_can_be_cancelled_and_reserved_again(ledger, tmp_path):
    message = rf"{re.escape(str(ledger.path))} has no reserved release 'mine'"
    with pytest.raises(InputError, match=message):
        ledger.cancel("mine")
    ledger.reserve(entry("mine"))
    ledger.cancel("mine")
    assert states(ledger) == {"mine": "cancelled"}
    with pytest.raises(InputError, match=message):
        ledger.cancel("mine")
    sealed(ledger, tmp_path)
    with pytest.raises(InputError, match=message):
        ledger.cancel("mine")
    ledger.publish_sealed()
    with pytest.raises(InputError, match=message):
        ledger.cancel("mine")
    assert states(ledger) == {"mine": "published"}


def test_a_release_that_failed_is_cancelled_if_nothing_of_it_was_sealed(ledger, tmp_path):
    sealed(ledger, tmp_path, "sealed")
    ledger.reserve(entry("reserved"))
    for release in ("sealed", "reserved", "unknown"):
        ledger.cancel_reserved(release)
    assert states(ledger) == {"sealed": "sealed", "reserved": "cancelled"}


def test_a_salted_hash_tells_the_vectors_to_whoever_has_the_ledger_only(ledger, tmp_path):
    found = ledger.salted("vectors")
    assert re.fullmatch("[0-9a-f]{64}", found)
    assert Ledger(ledger.path).salted("vectors") == found
    assert ledger.salted("other vectors") != found
    assert Ledger(tmp_path / "other.sqlite").salted("vectors") != found


def test_publishing_moves_the_files_once_and_again_is_harmless(ledger, tmp_path):
    files = sealed(ledger, tmp_path)
    (tmp_path / FILES[0]).write_text("an older release")
    assert [ledger.publish_sealed() for _ in range(3)] == [["mine"], [], []]
    assert at_their_places(files)
    assert states(ledger) == {"mine": "published"}


def test_a_file_that_was_changed_after_it_was_sealed_is_not_published(ledger, tmp_path):
    files = sealed(ledger, tmp_path)
    files[1].ready.write_bytes(b"something else")
    with pytest.raises(InputError, match=re.escape(str(files[1].ready))):
        ledger.publish_sealed()
    assert not files[1].place.exists()


@pytest.mark.parametrize("left", [None, b"another release"])
def test_a_sealed_file_that_is_gone_is_reported_with_its_hash_and_the_release_stays_sealed(ledger, tmp_path, left):
    files = sealed(ledger, tmp_path)
    content = files[1].ready.read_bytes()
    files[1].ready.unlink()
    if left:
        files[1].place.write_bytes(left)
    for _ in range(2):
        with pytest.raises(InputError, match=f"{re.escape(str(files[1].place))}.*{files[1].sha256}"):
            ledger.publish_sealed()
        assert states(ledger) == {"mine": "sealed"}
    files[1].ready.write_bytes(content)
    assert ledger.publish_sealed() == ["mine"]
    assert at_their_places(files)


def test_a_release_whose_files_are_gone_does_not_hold_up_others(ledger, tmp_path):
    lost, good = sealed(ledger, tmp_path / "lost", "lost"), sealed(ledger, tmp_path / "good", "good")
    lost[0].ready.unlink()
    for _ in range(2):
        with pytest.raises(InputError, match="the release lost cannot be finished"):
            ledger.publish_sealed()
    assert states(ledger) == {"lost": "sealed", "good": "published"}
    assert at_their_places(good)


@pytest.mark.parametrize("state", ["none", "cancelled", "sealed", "published"])
def test_only_a_reserved_release_can_be_sealed(ledger, tmp_path, state):
    """Else one that was cancelled would be published without being counted, or one id twice with other noise."""
    if state == "cancelled":
        ledger.reserve(entry("mine"))
        ledger.cancel("mine")
    first = sealed(ledger, tmp_path / "first") if state in ("sealed", "published") else []
    if state == "published":
        ledger.publish_sealed()
    before = states(ledger)
    (tmp_path / "second").mkdir()
    second = drawn(tmp_path / "second")
    with pytest.raises(InputError):
        ledger.seal("mine", second)
    assert states(ledger) == before
    ledger.publish_sealed()
    assert at_their_places(first)
    assert not any(file.place.exists() for file in second)


def test_a_release_that_another_run_cancelled_and_spent_is_not_published(ledger, tmp_path):
    budget = closed_form(1.0) + 1e-6
    ledger.reserve(entry("slow"), budget)
    files = drawn(tmp_path)
    ledger.cancel("slow")
    ledger.reserve(entry("quick"), budget)
    with pytest.raises(InputError, match="has no reserved release 'slow'"):
        ledger.seal("slow", files)
    ledger.publish_sealed()
    spent = [each.mu for each in ledger.entries() if each.state != "cancelled"]
    assert math.sqrt(sum(mu * mu for mu in spent)) == 1.0
    assert not any(file.place.exists() for file in files)


def test_relative_places_are_those_of_the_run_that_sealed(ledger, tmp_path, monkeypatch):
    (tmp_path / "then").mkdir()
    monkeypatch.chdir(tmp_path / "then")
    files = sealed(ledger, Path())
    monkeypatch.chdir(tmp_path)
    assert ledger.publish_sealed() == ["mine"]
    assert sorted(path.name for path in (tmp_path / "then").iterdir()) == sorted(FILES)
    assert not any((tmp_path / file.place).exists() for file in files)


def test_processes_that_reserve_at_the_same_time_cannot_exceed_the_budget(tmp_path):
    path, most = tmp_path / "new" / "ledger.sqlite", 4
    budget = closed_form(math.sqrt(most)) + 1e-6
    outcomes = [outcome for each in together(tmp_path / "out", "reserve", path, budget) for outcome in each]
    assert sorted(outcome for outcome in outcomes if isinstance(outcome, int)) == list(range(most))
    refused = [outcome for outcome in outcomes if isinstance(outcome, str)]
    assert len(refused) == 18 - most
    assert all(outcome.startswith(f"BudgetError: with this release {most + 1} releases") for outcome in refused)
    assert list(states(Ledger(path)).values()) == ["reserved"] * most


def test_of_processes_that_finish_at_the_same_time_one_publishes(tmp_path):
    ledger = Ledger(tmp_path / "ledger.sqlite")
    files = sealed(ledger, tmp_path)
    outcomes = together(tmp_path / "out", "publish", ledger.path)
    assert sorted(outcomes) == [[]] * 5 + [["mine"]]
    assert at_their_places(files)


@dataclass(frozen=True)
class Death:
    """What a killed process left, and what came of it."""

    state: str | None
    moved: int
    left: dict[str, bytes]
    counted: list[str]
    finished: list[list[str]]
    after: str | None
    there: dict[str, bytes]
    remains: list[str]
    again: str
    at_last: str
    complete: bool


def contents(folder, prefix=""):
    return {name: (folder / (prefix + name)).read_bytes() for name in FILES if (folder / (prefix + name)).exists()}


def examined(folder):
    ledger = Ledger(folder / "ledger.sqlite")
    state = states(ledger).get("mine")
    at_place, ready = contents(folder), contents(folder, ".")
    counted = [other.id for other in ledger.reserve(entry("next"))]
    ledger.cancel("next")
    finished = [ledger.publish_sealed(), Ledger(ledger.path).publish_sealed()]
    after, there = states(ledger).get("mine"), contents(folder)
    remains = sorted(contents(folder, ".")) if after == "published" else []
    try:
        ledger.reserve(entry("mine"))
    except InputError as error:
        again = str(error)
    else:
        again = "reserved"
        life(folder)
    return Death(
        state,
        len(at_place),
        ready | at_place,
        counted,
        finished,
        after,
        there,
        remains,
        again,
        states(ledger)["mine"],
        sorted(contents(folder)) == sorted(FILES) and not contents(folder, "."),
    )


@pytest.fixture(scope="module")
def deaths(tmp_path_factory):
    """Runs killed by SIGKILL before each of the calls that touch the disk; the last one lived."""
    root = tmp_path_factory.mktemp("deaths")
    worker("lives", root)
    folders = sorted(root.iterdir(), key=lambda folder: int(folder.name))
    return [examined(folder) for folder in folders]


def test_runs_were_killed_at_every_stage(deaths):
    assert len(deaths) > 40
    stages = [(death.state, death.moved) for death in deaths]
    for stage in [(None, 0), ("reserved", 0), ("sealed", 0), ("sealed", 1), ("sealed", 2), ("sealed", 3)]:
        assert stage in stages
    assert stages[-1] == ("published", 3)
    assert any(death.state == "reserved" and len(death.left) == 3 for death in deaths)  # written, not yet sealed


def test_what_was_not_sealed_is_not_published_and_can_be_reserved_and_recomputed(deaths):
    early = [death for death in deaths if death.state in (None, "reserved")]
    for death in early:
        assert (death.moved, death.finished, death.there) == (0, [[], []], {})
        assert (death.after, death.again) == (death.state, "reserved")


def test_what_was_sealed_is_finished_by_the_next_who_publishes_with_the_numbers_it_was_sealed_with(deaths):
    late = [death for death in deaths if death.state == "sealed"]
    for death in late:
        assert death.finished == [["mine"], []]
        assert death.after == "published"
        assert death.there == death.left
        assert len(death.there) == 3
        assert death.remains == []


def test_what_was_published_stays_as_it_is(deaths):
    done = [death for death in deaths if death.state == "published"]
    for death in done:
        assert (death.finished, death.after, death.moved, death.remains) == ([[], []], "published", 3, [])
        assert death.there == death.left


def test_what_was_sealed_or_published_when_its_run_died_is_never_drawn_again(deaths):
    for death in deaths:
        assert ("published before" in death.again) == (death.state in ("sealed", "published"))


def test_a_release_whose_run_died_counts_from_its_reservation_on(deaths):
    for death in deaths:
        assert death.counted == ([] if death.state is None else ["mine"])


def test_after_every_death_the_release_is_published_whole_in_the_end(deaths):
    assert all(death.complete and death.at_last == "published" for death in deaths)


words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\t\n\r\0"), min_size=1, max_size=5)
finite = st.floats(width=32, allow_nan=False, allow_infinity=False)


@st.composite
def embeddings(draw):
    named = draw(st.lists(words, min_size=1, max_size=6, unique=True))
    rows = st.lists(finite, min_size=3, max_size=3)
    return Embeddings(named, draw(st.lists(rows, min_size=len(named), max_size=len(named))))


@given(embeddings(), st.randoms(use_true_random=False))
def test_the_order_of_words_does_not_change_the_identity(embeddings, random):
    order = list(range(len(embeddings)))
    random.shuffle(order)
    assert embeddings.subset(order).identity == embeddings.identity


@given(embeddings())
def test_both_zeros_are_one_number_to_the_identity(embeddings):
    turned = np.where(embeddings.vectors == 0, -embeddings.vectors, embeddings.vectors)
    assert Embeddings(embeddings.words, turned).identity == embeddings.identity


@given(embeddings(), st.data())
def test_any_other_number_and_any_other_word_change_the_identity(embeddings, data):
    row, column = data.draw(st.integers(0, len(embeddings) - 1)), data.draw(st.integers(0, 2))
    vectors = embeddings.vectors.copy()
    vectors[row, column] = np.nextafter(vectors[row, column], np.float32(0) if vectors[row, column] else np.float32(1))
    assert Embeddings(embeddings.words, vectors).identity != embeddings.identity
    named = embeddings.words.tolist()
    named[row] = data.draw(words.filter(lambda word: word not in named))
    assert Embeddings(named, embeddings.vectors).identity != embeddings.identity


def test_two_words_that_exchange_their_vectors_change_the_identity():
    vectors = np.eye(2)
    assert Embeddings(["a", "b"], vectors).identity != Embeddings(["b", "a"], vectors).identity


def test_fewer_words_and_fewer_dimensions_change_the_identity(clustered):
    found = {clustered.identity, clustered.subset(range(239)).identity}
    found |= {Embeddings(clustered.words, clustered.vectors[:, :11]).identity}
    assert len(found) == 3


def test_a_word_that_looks_like_numbers_changes_the_identity():
    """The bytes of one word with three numbers are those of two words with one number each."""
    three = np.frombuffer(b"\0\0\x80?xyz\0\0\0\0@", dtype="<f4")
    one = Embeddings(["a"], three[None])
    two = Embeddings(["a", "xyz"], [[three[0]], [three[2]]])
    assert one.identity != two.identity


def clear(path, caught):
    """Whether an error is one that a user can fix: it names the ledger."""
    return isinstance(caught.value, InputError) and str(path) in str(caught.value)


def test_a_ledger_in_a_place_that_is_none_is_refused_by_name(tmp_path):
    (tmp_path / "file").write_text("a file")
    with pytest.raises(Exception) as caught:  # noqa: PT011
        Ledger(tmp_path / "file" / "ledger.sqlite")
    assert clear(tmp_path / "file", caught)


def test_a_ledger_that_is_a_folder_is_refused_by_name(tmp_path):
    with pytest.raises(Exception) as caught:  # noqa: PT011
        Ledger(tmp_path)
    assert clear(tmp_path, caught)


def test_a_ledger_that_is_another_file_is_refused_by_name_and_left_as_it_is(tmp_path):
    path = tmp_path / "ledger.sqlite"
    path.write_text("a letter\n" * 200)
    with pytest.raises(Exception) as caught:  # noqa: PT011
        Ledger(path)
    assert path.read_text() == "a letter\n" * 200
    assert clear(path, caught)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is unwritable to root")
@pytest.mark.parametrize("there", [True, False])
def test_a_ledger_that_cannot_be_written_is_refused_by_name(tmp_path, there):
    path = tmp_path / "folder" / "ledger.sqlite"
    path.parent.mkdir()
    if there:
        Ledger(path)
        path.chmod(0o400)
    path.parent.chmod(0o500)
    try:
        with pytest.raises(Exception) as caught:  # noqa: PT011
            Ledger(path).reserve(entry("mine"))
        assert clear(path, caught)
    finally:
        path.parent.chmod(0o700)


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="needs a folder that nobody can write to, not even root")
def test_a_ledger_in_a_folder_that_nobody_can_write_to_is_refused_by_name():
    path = Path("/proc/self/ledger.sqlite")
    with pytest.raises(Exception) as caught:  # noqa: PT011
        Ledger(path)
    assert clear(path, caught)


def test_a_ledger_that_another_process_holds_for_long_is_refused_by_name(ledger, monkeypatch):
    monkeypatch.setattr("nadp.release.schema._WAIT", 0.05)  # seconds, else a minute
    with contextlib.closing(sqlite3.connect(ledger.path, isolation_level=None)) as other:
        other.execute("begin exclusive")
        with pytest.raises(Exception) as caught:  # noqa: PT011
            ledger.reserve(entry("mine"))
        other.execute("rollback")
    assert not ledger.entries()
    assert clear(ledger.path, caught)


def test_an_entry_comes_back_as_it_went_in(ledger):
    odd = Entry("é'; drop table releases", "i\0d", "τ 0.3", "gaussian", 1e-300, 5e-324, 0.1 + 0.2, "reserved", "", "")
    odd = replace(odd, delta=1e-300)
    ledger.reserve(odd)
    assert ledger.entries() == [replace(odd, series=odd.identity)]


def test_ready_files_may_have_any_name(ledger, tmp_path):
    ledger.reserve(entry("mine"))
    ready, place = tmp_path / "a 'b' é\n", tmp_path / "vectors; --.txt"
    ready.write_bytes(b"x")
    ledger.seal("mine", [SealedFile(ready, place, sha256_of(ready))])
    assert ledger.publish_sealed() == ["mine"]
    assert place.read_bytes() == b"x"


def test_a_ledger_can_be_read_by_its_owner_only(tmp_path):
    path = tmp_path / "new" / "ledger.sqlite"
    ledger = Ledger(path)
    ledger.reserve(entry("mine"))
    ledger.salted("x")
    assert {file.stat().st_mode & 0o777 for file in path.parent.iterdir()} == {0o600}
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_a_ledger_that_an_earlier_version_left_open_is_closed(ledger):
    ledger.path.chmod(0o644)
    Ledger(ledger.path)
    assert ledger.path.stat().st_mode & 0o777 == 0o600
