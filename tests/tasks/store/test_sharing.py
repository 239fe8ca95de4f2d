from pathlib import Path

import pytest

from nadp.cli.files import ledger_file
from nadp.errors import InputError
from nadp.files.durable import sha256_of
from tasks.sources.downloads import downloaded
from tasks.store.artefacts import Artefact, stored
from tasks.store.home import home
from tasks.store.records import drop_if_damaged
from tasks.store.score_store import ScoreStore
from tasks.store.sharing import check_store, read, share
from tests.tasks.store.test_score_store import DRAWS, RECIPES, Evaluation


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A function that lets the test go on at a machine of that name; all have one store."""

    def at(name):
        monkeypatch.setenv("NADP_HOME", f"file://{tmp_path}/store/")
        monkeypatch.setenv("NADP_CACHE", str(tmp_path / name))

    at("one")
    return at


@pytest.fixture
def store(tmp_path):
    return tmp_path / "store"


def names(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_a_stored_file_is_here_and_in_the_store_under_one_name(machine, store, tmp_path):  # noqa: ARG001
    found = stored("text", ".json")
    assert found.path == f"file://{store}/artefacts/{found.sha256}.json"
    assert found.local() == tmp_path / "one" / "artefacts" / f"{found.sha256}.json"
    assert (store / "artefacts" / found.local().name).read_text() == found.local().read_text() == "text"
    assert names(store) == names(tmp_path / "one")
    assert found.is_intact()


def test_another_machine_is_brought_the_file_when_it_asks_for_it(machine, tmp_path):
    found = stored("text", ".json")
    machine("two")
    assert not (tmp_path / "two").exists()
    assert found.local() == tmp_path / "two" / "artefacts" / f"{found.sha256}.json"
    assert found.local().read_text() == "text"
    assert names(tmp_path / "two") == [f"artefacts/{found.sha256}.json"]


@pytest.mark.parametrize("damage", ["texu", "tex", "texts", ""])
def test_what_is_damaged_in_the_store_is_refused_and_removed_until_it_is_stored_again(machine, store, tmp_path, damage):
    found = stored("text", ".json")
    shared = store / "artefacts" / found.local().name
    shared.write_text(damage)
    machine("two")
    with pytest.raises(FileNotFoundError, match="is missing or damaged: run again"):
        found.local()
    assert not shared.exists()
    assert not found.is_intact()
    assert names(tmp_path / "two") == []
    assert stored("text", ".json") == found
    assert shared.read_text() == "text"
    assert found.is_intact()


def test_a_machine_that_has_the_file_mends_the_store(machine, store):  # noqa: ARG001
    found = stored("text", ".json")
    shared = store / "artefacts" / found.local().name
    shared.unlink()
    assert found.is_intact()
    assert shared.read_text() == "text"


@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_text("texu")], ids=["wiped", "changed"])
def test_the_store_mends_a_machine(machine, damage):  # noqa: ARG001
    found = stored("text", ".json")
    damage(found.local())
    assert found.is_intact()
    assert found.local().read_text() == "text"


def test_a_record_that_is_none_is_dropped_from_the_store_too(machine, store):  # noqa: ARG001
    record = home() / "results" / "key"
    record.parent.mkdir(parents=True)
    record.write_text("{")
    share(record)
    drop_if_damaged(record)
    assert not record.exists()
    assert names(store) == []


def scored(evaluation):
    store = ScoreStore("tasks.evaluation", "utility", [("men", Artefact("/here", "0" * 64, 3))])
    return list(store.scores(RECIPES[:3], 0, DRAWS[0], evaluation))


def test_scores_of_another_machine_are_not_computed_again_but_those_that_were_cut_off(machine, store):
    found = scored(Evaluation())
    machine("two")
    assert scored(Evaluation(stop_after=0)) == found
    cut = store / names(store)[0]
    cut.write_text(cut.read_text()[:-1])
    machine("three")
    evaluation = Evaluation()
    assert scored(evaluation) == found
    assert [len(asked) for asked in evaluation.asked] == [1]


def test_a_download_is_made_by_one_machine_only_unless_what_it_shared_is_damaged(machine, server, store):
    server.files["/vectors.zip"] = b"vectors"
    url = f"{server.url}/vectors.zip"

    def fetched(name, sha256=None):
        machine(name)
        path = downloaded([url], home() / "downloads" / "vectors.zip", sha256)
        return path.read_bytes(), server.count("GET")

    assert fetched("one") == (b"vectors", 1)
    sha256 = sha256_of(home() / "downloads" / "vectors.zip")
    assert fetched("two", sha256) == (b"vectors", 1)
    (store / "downloads" / "vectors.zip").write_bytes(b"vectorz")
    assert fetched("three", sha256) == (b"vectors", 2)
    assert fetched("four", sha256) == (b"vectors", 2)


def test_without_a_cache_folder_each_store_has_one_of_its_own(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("NADP_CACHE", raising=False)
    homes = []
    for url in ("s3://bucket/a", "s3://bucket/a/", "s3://bucket/b"):
        monkeypatch.setenv("NADP_HOME", url)
        homes.append(home())
    assert homes[0] == homes[1] != homes[2]
    assert {path.parent for path in homes} == {tmp_path}


@pytest.mark.parametrize(
    ("url", "said"),
    [("nosuch://bucket/a", "Protocol not known: nosuch"), ("s3://bucket/a", "cannot be used")],
)
def test_a_store_that_cannot_be_used_is_refused_by_name(monkeypatch, tmp_path, url, said):
    monkeypatch.setenv("NADP_HOME", url)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    with pytest.raises(InputError, match=f"{url}.*{said}"):
        check_store()


def test_a_folder_needs_no_store(home):
    check_store()
    share(home / "anything")
    assert list(read(home / "anything")) == []


def test_what_was_spent_is_not_kept_in_a_cache(machine, tmp_path):  # noqa: ARG001
    with pytest.raises(InputError, match="give the file of the ledger: NADP_HOME is file://"):
        ledger_file(None)
    assert ledger_file(str(tmp_path / "own.sqlite")) == tmp_path / "own.sqlite"
