import json
import zipfile

import numpy as np
import pytest

from flows.audit import audit
from flows.release import release as publish
from nadp import MECHANISMS, EmbeddingSpace, InputError, read_embeddings
from tests.parsed import parsed

pytestmark = [pytest.mark.servers, pytest.mark.usefixtures("prefect_server")]

FALSE_ALARM = 1e-9  # published noise has no seed: at the default of .01, one run in a hundred would fail


@pytest.fixture(scope="module")
def release(embedding, tmp_path_factory):
    """A release of the small embedding as text, its noise a factor of what it should be."""

    def write(factor=1.0, first_without_noise=False):
        original = read_embeddings(embedding)
        noisy = MECHANISMS["nadp"]().perturb(EmbeddingSpace.build(original), 2.0, 1e-4, np.random.default_rng(5))
        vectors = original.vectors + np.float32(factor) * (noisy.vectors - original.vectors)
        if first_without_noise:
            vectors[0] = original.vectors[0]
        path = tmp_path_factory.mktemp("release") / "noisy.txt"
        rows = zip(noisy.words.tolist(), vectors, strict=True)
        path.write_text("".join(f"{word} {' '.join(f'{x:.6g}' for x in row)}\n" for word, row in rows))
        return str(path)

    return write


def run(embedding, released, out, **more):
    return audit(str(embedding), released, out=str(out), draws=2000, return_state=True, **more)


def test_a_release_as_claimed_passes_and_its_report_says_what_an_attacker_gets(embedding, release, tmp_path):
    certificate = tmp_path / "certificate.json"
    certificate.write_text(json.dumps({"mechanism": "nadp", "epsilon": 2.0, "delta": 1e-4}))
    state = run(embedding, release(), tmp_path / "out", certificate=str(certificate))
    assert state.is_completed()
    assert "all checks passed" in state.message
    found = json.loads((tmp_path / "out" / "audit.json").read_text())
    assert found["claim"] | {"mechanism": "nadp", "epsilon": 2.0, "delta": 1e-4} == found["claim"]
    assert "600 words" in parsed((tmp_path / "out" / "audit.html").read_text()).first("header").text


def test_too_little_noise_and_a_word_without_any_are_found(embedding, release, tmp_path):
    claim = {"mechanism": "nadp", "epsilon": 2.0, "delta": 1e-4}
    state = run(embedding, release(0.9, first_without_noise=True), tmp_path, **claim)
    assert "checks that failed: every word has noise" in state.message
    for check in ("noise of each word", "noise of each component", "distribution of the noise"):
        assert check in state.message


def test_a_failed_check_fails_the_run_where_that_is_asked(embedding, release, tmp_path):
    released = release(first_without_noise=True)
    assert run(embedding, released, tmp_path / "told").is_completed()
    strict = run(embedding, released, tmp_path / "strict", strict=True)
    assert strict.is_failed()
    assert "checks that failed: every word has noise" in strict.message
    checks = json.loads((tmp_path / "strict" / "audit.json").read_text())["found"]["verdicts"]
    passed = sum(check["passed"] for check in checks)
    assert 0 < passed < len(checks)
    assert f"; {passed} of {len(checks)} checks passed; " in strict.message
    assert (tmp_path / "strict" / "audit.html").is_file()
    assert run(embedding, release(), tmp_path / "good", strict=True).is_completed()


def test_original_and_releases_may_lie_in_archives_of_several_files(embedding, release, tmp_path):
    one, other = release(), release(2.0)
    archive = tmp_path / "tables.zip"
    with zipfile.ZipFile(archive, "w") as written:
        for name, path in {"original.txt": embedding, "one.txt": one, "other.txt": other}.items():
            written.write(path, name)
    state = run(
        archive,
        str(archive),
        tmp_path / "out",
        another=str(archive),
        original_member="original.txt",
        released_member="one.txt",
        another_member="other.txt",
    )
    assert "checks that failed: independence of two releases" in state.message  # the same draw, twice as large
    with pytest.raises(InputError, match=r"original\.txt, one\.txt, other\.txt"):
        run(archive, str(archive), tmp_path / "none").result()


def test_a_release_without_a_claim_is_audited_all_the_same(embedding, release, tmp_path):
    state = run(embedding, release(), tmp_path)
    assert "all checks passed" in state.message
    tiles = parsed((tmp_path / "audit.html").read_text()).first("dl", "tiles")
    assert [value.text for value in tiles.all("dd")][2] == "none"


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"epsilon": 1.0}, "a claim needs mechanism, epsilon and delta together"),
        ({"certificate": "nowhere.json"}, "no certificate 'nowhere.json'"),
        ({"another": "nowhere.txt"}, "no embedding 'nowhere.txt'"),
    ],
)
def test_what_is_wrong_with_the_input_is_said(embedding, tmp_path, more, message):
    with pytest.raises(InputError, match=message):
        run(embedding, str(embedding), tmp_path, **more).result()


@pytest.mark.parametrize(
    "terms",
    [
        {"neighbourhoods_from": "sample", "words": 400, "sensitivity": 2.5},
        {"clip": 2.0},
        {"search": "annoy", "graph": "graph.npz"},
        {"neighbourhoods_from": "sample", "words": 400, "search": "annoy", "graph": "graph.npz"},
    ],
)
def test_an_audit_uses_what_sized_the_noise_by_the_certificate(embedding, tmp_path, terms):
    """The public embedding, the constant or the length, and the graph that the owner kept."""
    pytest.importorskip("annoy")
    out, graph = tmp_path / "private.txt", str(tmp_path / "graph.npz") if "graph" in terms else None
    given = terms | ({"graph": graph} if graph else {})
    assert publish(
        str(embedding), str(out), epsilon=2.0, ledger=str(tmp_path / "ledger.sqlite"), **given, return_state=True
    ).is_completed()
    how = {"certificate": f"{out}.certificate.json", "strict": True, "graph": graph, "false_alarm": FALSE_ALARM}
    how |= {name: terms[name] for name in ("neighbourhoods_from",) if name in terms}
    state = run(embedding, str(out), tmp_path / "audit", **how)
    assert "all checks passed" in state.message


def test_an_audit_that_lacks_what_sized_the_noise_is_refused_and_names_the_option(embedding, tmp_path, monkeypatch):
    pytest.importorskip("annoy")
    out = tmp_path / "private.txt"
    terms = {"neighbourhoods_from": "sample", "words": 400, "search": "annoy"}
    assert publish(
        str(embedding), str(out), epsilon=2.0, ledger=str(tmp_path / "ledger.sqlite"), **terms, return_state=True
    ).is_completed()
    certificate = f"{out}.certificate.json"
    with pytest.raises(InputError, match="neighbourhoods_from"):
        run(embedding, str(out), tmp_path / "audit", certificate=certificate).result()
    given = {"certificate": certificate, "neighbourhoods_from": "sample", "false_alarm": FALSE_ALARM}
    with pytest.raises(InputError, match=r"\(graph\)"):
        run(embedding, str(out), tmp_path / "audit", **given).result()
    monkeypatch.setattr("nadp.cli.files.default_ledger", lambda: tmp_path / "ledger.sqlite")
    assert "all checks passed" in run(embedding, str(out), tmp_path / "audit", **given).message
