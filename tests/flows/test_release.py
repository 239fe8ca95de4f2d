"""The release from end to end: what is published, what is refused, and what a run that died leaves behind."""

import json
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from flows.audit import audit
from flows.release import release
from nadp import Embeddings, InputError, read_embeddings
from nadp.files import write_embeddings
from nadp.release import BudgetError, Ledger, RefusedError
from tasks.store.records import RESULTS

pytestmark = [pytest.mark.servers, pytest.mark.usefixtures("prefect_server")]


def run(embedding, out, epsilon=2.0, **more):
    ledger = str(out.parent / "ledger.sqlite")
    return release(str(embedding), str(out), epsilon=epsilon, ledger=ledger, return_state=True, **more)


@pytest.mark.parametrize("name", ["private.txt", "private.vec.gz", "private.bin", "private.npz", "private.safetensors"])
def test_a_release_has_its_words_in_order_other_vectors_and_a_certificate(embedding, tmp_path, name):
    out = tmp_path / name
    state = run(embedding, out)
    assert state.is_completed()
    assert state.result() == str(out)
    original, released = read_embeddings(embedding), read_embeddings(out)
    assert released.words.tolist() == original.words.tolist()
    assert f"{len(original):,} words were read" in state.message
    assert (released.vectors != original.vectors).any(axis=1).all()
    certificate = json.loads((tmp_path / f"{name}.certificate.json").read_text())
    assert (certificate["mechanism"], certificate["epsilon"]) == ("nadp", 2.0)
    assert certificate["delta"] == pytest.approx(1e-6)
    assert certificate["measured"] == {}  # a user's file is private unless declared public
    assert "(2, 1e-06)-differential privacy" in (tmp_path / f"{name}.certificate.md").read_text()
    assert not list(tmp_path.glob(".*"))


def test_a_table_with_tabs_after_its_words_is_released_under_its_words(embedding, tmp_path):
    original, path, out = read_embeddings(embedding), tmp_path / "tabs.txt", tmp_path / "private.txt"
    rows = ["\t" + " ".join(map(repr, row)) for row in original.vectors.tolist()]
    lines = [word + row for word, row in zip([*original.words.tolist(), " "], [*rows, rows[0]], strict=True)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match="line 601"):
        run(path, out, strict=True).result()
    state = run(path, out)
    assert "1 unusable word" in state.message
    released = out.read_text(encoding="utf-8")
    assert "\t" not in released
    assert [line.split(" ")[0] for line in released.splitlines()] == original.words.tolist()
    assert not any(
        repr(row[0]) in line for line, row in zip(released.splitlines(), original.vectors.tolist(), strict=True)
    )


def test_a_release_passes_its_own_audit_by_its_certificate_alone(embedding, tmp_path):
    out = tmp_path / "private.txt"
    assert run(embedding, out, tau=0.3, isolated="drop", embedding_is_public=True).is_completed()
    state = audit(
        str(embedding),
        str(out),
        certificate=f"{out}.certificate.json",
        out=str(tmp_path / "audit"),
        draws=2000,
        false_alarm=1e-9,  # the noise has no seed
        strict=True,
        return_state=True,
    )
    assert "all checks passed" in state.message
    inputs = json.loads((tmp_path / "audit" / "audit.json").read_text())["inputs"]
    assert (inputs["graph"]["tau"], inputs["graph"]["isolated"]) == (0.3, "drop")


def test_two_releases_of_the_same_vectors_share_no_noise_and_are_composed(embedding, tmp_path):
    for name in ("one.txt", "two.txt"):
        assert run(embedding, tmp_path / name).is_completed()
    original, one, two = (read_embeddings(p).vectors for p in (embedding, tmp_path / "one.txt", tmp_path / "two.txt"))
    assert abs(np.corrcoef((one - original).ravel(), (two - original).ravel())[0, 1]) < 0.05
    composition = json.loads((tmp_path / "two.txt.certificate.json").read_text())["composition"]
    assert composition["releases"] == 2
    assert composition["epsilon"] > 2.5
    assert [entry.state for entry in Ledger(tmp_path / "ledger.sqlite").entries()] == ["published", "published"]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (
            {"isolated": "exact", "tau": 0.4},
            "the share of words without noise is 0.*limit 0: choose isolated='nearest'",
        ),
        ({"epsilon": 11.0}, "epsilon at delta 1e-06 is 11, the limit 10: choose a smaller epsilon"),
        ({"epsilon": 60.0, "accept_weak_privacy": True}, "recovery by the nearest word is .*, the limit 0.5"),
    ],
)
def test_a_refusal_names_measure_value_limit_and_what_would_help(embedding, tmp_path, more, message):
    out = tmp_path / "private.txt"
    with pytest.raises(RefusedError, match=message):
        run(embedding, out, **more).result()
    assert not out.exists()
    states = {entry.state for entry in Ledger(tmp_path / "ledger.sqlite").entries()}
    assert states <= {"cancelled"}


def test_a_spent_budget_refuses_the_next_release(embedding, tmp_path):
    assert run(embedding, tmp_path / "one.txt", budget=3.0).is_completed()
    assert run(embedding, tmp_path / "two.txt", budget=3.0).is_completed()
    with pytest.raises(BudgetError, match="above the budget of 3"):
        run(embedding, tmp_path / "three.txt", budget=3.0).result()
    assert not (tmp_path / "three.txt").exists()


def test_an_output_that_names_the_input_is_refused_and_the_input_stays(embedding, tmp_path):
    original = tmp_path / "vectors.txt"
    original.write_bytes(embedding.read_bytes())
    (tmp_path / "link.txt").symlink_to(original)
    (tmp_path / "folder").mkdir()
    for out in ("vectors.txt", "link.txt", "folder/../vectors.txt"):
        with pytest.raises(InputError, match="choose another out"):
            run(original, tmp_path / out).result()
    assert original.read_bytes() == embedding.read_bytes()


def test_a_retrained_embedding_spends_the_budget_of_its_series(embedding, tmp_path):
    """Each week's training changes all vectors."""
    words, terms = read_embeddings(embedding), {"series": "weekly", "budget": 3.0}
    assert run(embedding, tmp_path / "one.txt", **terms).is_completed()
    again = tmp_path / "again.txt"
    write_embeddings(again, Embeddings(words.words, words.vectors * 1.01))
    with pytest.raises(RefusedError, match=r"counted exactly \(neighbourhoods_from"):
        run(again, tmp_path / "two.txt").result()  # another graph: the least noise of the first counts for all words
    assert run(again, tmp_path / "two.txt", max_recovery=1.0, max_tail=1.0).is_completed()
    with pytest.raises(BudgetError, match="3 releases of the series 'weekly'"):
        run(embedding, tmp_path / "three.txt", **terms).result()
    with pytest.raises(InputError, match="series='weekly'"):
        run(embedding, tmp_path / "three.txt", series="fresh").result()


def test_a_deployment_without_a_series_is_refused(embedding, tmp_path, monkeypatch):
    monkeypatch.setenv("PREFECT__RUNTIME__DEPLOYMENT__ID", "a deployment")
    with pytest.raises(InputError, match="series"):
        run(embedding, tmp_path / "one.txt").result()


def test_a_suffix_that_says_no_format_is_refused_before_anything_is_done(embedding, tmp_path):
    with pytest.raises(InputError, match=r"private\.data"):
        run(embedding, tmp_path / "private.data").result()
    assert run(embedding, tmp_path / "private.data", format="glove").is_completed()


@pytest.mark.parametrize(
    ("terms", "between"),
    [
        ({}, "own graph"),
        ({"neighbourhoods_from": "sample", "words": 300}, "public graph"),
        ({"sensitivity": 3.0}, "public sensitivity"),
        ({"clip": 2.0}, "any vectors"),
    ],
)
def test_the_certificate_says_what_its_guarantee_holds_between(embedding, tmp_path, terms, between):
    out = tmp_path / "private.txt"
    assert run(embedding, out, **terms).is_completed()
    certificate = json.loads((tmp_path / "private.txt.certificate.json").read_text())
    assert certificate["guarantee"]["between"] == between
    assert certificate["statement"].startswith("conditional") == (between == "own graph")
    page = (tmp_path / "private.txt.certificate.md").read_text().splitlines()
    assert page[2] == f"**{certificate['statement']}.**"


KILLED = """
    import os, signal
    from pathlib import Path
    from nadp import EmbeddingSpace, read_embeddings
    from nadp.release import Ledger
    from nadp.release.basis import own_graph
    from nadp.release.publishing import Order, publish

    class Dying(Ledger):
        '''A ledger whose process dies as soon as something happened to it.'''

        def reserve(self, *given, **more):
            found = super().reserve(*given, **more)
            if {at!r} == "reserved":
                os.kill(os.getpid(), signal.SIGKILL)
            return found

        def seal(self, *given):
            if {at!r} == "written":
                os.kill(os.getpid(), signal.SIGKILL)
            super().seal(*given)
            if {at!r} == "sealed":
                os.kill(os.getpid(), signal.SIGKILL)

    space = EmbeddingSpace.build(read_embeddings({embedding!r}))
    publish(own_graph(space), Order("first", Path({out!r}), 2.0), Dying(Path({ledger!r})))
"""


@pytest.mark.parametrize(("at", "published"), [("reserved", False), ("written", False), ("sealed", True)])
def test_what_a_killed_release_leaves_behind_is_whole_or_nothing(embedding, tmp_path, at, published):
    out, path = tmp_path / "private.txt", tmp_path / "ledger.sqlite"
    code = textwrap.dedent(KILLED).format(at=at, embedding=str(embedding), out=str(out), ledger=str(path))
    died = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True)
    assert died.returncode == -signal.SIGKILL, died.stderr.decode()
    assert not out.exists()
    ledger = Ledger(path)
    assert ledger.publish_sealed() == (["first"] if published else [])
    assert out.exists() is published
    assert (tmp_path / "private.txt.certificate.json").exists() is published
    entry = ledger.entry("first")
    assert entry is not None
    assert entry.state == ("published" if published else "reserved")
    assert len(ledger.entries(entry.identity)) == 1


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """A function that returns the files that were kept of the runs so far."""
    monkeypatch.setenv("NADP_HOME", str(tmp_path / "home"))

    def files():
        return {path for folder in (RESULTS, tmp_path / "home") for path in folder.rglob("*") if path.is_file()}

    before = files()
    return lambda: files() - before


@pytest.mark.parametrize("public", [None, False, True])
def test_nothing_is_kept_of_vectors_that_are_not_declared_public(embedding, tmp_path, kept, public):
    words, own = read_embeddings(embedding), tmp_path / "own.txt"  # which no other test has kept
    write_embeddings(own, Embeddings(words.words, words.vectors + np.float32(0.25)))
    vector = read_embeddings(own).vectors[100].tobytes()
    assert run(own, tmp_path / "out" / "r.txt", embedding_is_public=public).is_completed()
    assert any(vector in path.read_bytes() for path in kept()) == bool(public)
    if not public:
        assert kept() == set()
    released = str(tmp_path / "out" / "r.txt")
    state = audit(str(own), released, original_is_public=public, draws=0, out=str(tmp_path / "a"), return_state=True)
    assert state.is_completed()
    assert any(vector in path.read_bytes() for path in kept()) == bool(public)
    if not public:
        assert kept() == set()
