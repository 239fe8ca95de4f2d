"""Where texts come from: files of this disk, and the Hub through its real client."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from nadp import FormatError, InputError
from nadp.texts.files import read
from tasks.sources.places import is_on_hub
from tasks.texts import HubPlace, fetch_texts, split_texts
from tests.tasks.texts_client import CASES, PRIVATE, REVISION, ROWS

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def hub(tmp_path_factory):
    folder = tmp_path_factory.mktemp("texts")
    command = [sys.executable, "-m", "tests.tasks.texts_client", str(folder)]
    done = subprocess.run(command, cwd=ROOT, env=os.environ, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "results.json").read_text(encoding="utf-8"))


def texts(rows, key=None):
    return [[row[key] if key else i, row["body"]] for i, row in enumerate(rows)]


@pytest.mark.parametrize(
    ("case", "rows"),
    [
        ("all rows", texts(ROWS)),
        ("with ids", texts(ROWS, "key")),
        ("with integers as ids", texts(ROWS, "n")),
        ("a part", texts(ROWS[10:12])),
        ("503 at the data, tried again", texts(ROWS[3:5], "key")),
        ("another configuration", [[0, "other zzyzx"]]),
        ("pinned", texts(ROWS)),
    ],
)
def test_texts_of_the_hub_are_all_there_with_their_ids_in_order(hub, case, rows):
    assert hub[case].get("error") is None
    assert hub[case]["rows"] == rows


def test_the_same_texts_make_the_same_file(hub):
    assert hub["pinned"]["sha"] == hub["all rows"]["sha"] != hub["with ids"]["sha"]


def test_a_copy_of_texts_can_be_read_by_its_owner_only_and_is_gone_afterwards(hub):
    assert hub["all rows"]["modes"] == ["600", "700"]
    assert hub["all rows"]["left"] == []


def test_a_fault_of_the_hub_is_tried_again_by_prefect(hub):
    assert 503 in hub["503 at the data"]["statuses"]
    assert hub["503 at the data"]["transient"]


def test_a_pinned_data_set_is_asked_for_at_its_revision_only(hub):
    paths = [path for path in hub["pinned"]["asked"] if "me/one" in path]
    assert paths
    assert [path for path in paths if REVISION not in path] == []


@pytest.mark.parametrize(
    ("case", "kind", "named"),
    [
        ("no configuration", "InputError", ["me/two", "plain", "other"]),
        ("no such split", "InputError", ["me/one", "dev", "train"]),
        ("no such column", "FormatError", ["me/one", "no column 'text'", "'key', 'body', 'n'"]),
        ("no such data set", "UnreachableError", ["me/three"]),
        ("a null", "FormatError", ["me/null, row 2: the value of 'text' is null"]),
        ("a broken file", "FormatError", ["me/broken", "damaged"]),
        ("no such revision", "UnreachableError", ["me/one"]),
    ],
)
def test_what_is_not_available_is_refused_at_once_and_never_tells_a_text(hub, case, kind, named):
    found = hub[case]
    assert found["kind"] == kind, found
    assert [word for word in named if word not in found["error"]] == []
    assert PRIVATE not in found["told"]
    assert not found["transient"]


def test_every_case_was_looked_at(hub):
    assert set(hub) == {*CASES, "pinned"}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("nowhere.txt", None),
        ("data/nowhere.csv", None),
        ("nowhere", "no texts 'nowhere'"),
        ("a/b/c", "no texts 'a/b/c'"),
        ("tests/tasks", "no texts"),
    ],
)
def test_what_is_neither_a_file_nor_an_id_is_refused(given, said, monkeypatch):
    monkeypatch.chdir(ROOT)
    if said is None:
        assert not is_on_hub(given)  # a missing file is reported and not looked up on the Hub
        with pytest.raises(InputError, match="no file"):
            fetch_texts.fn(given, "text", None, HubPlace())
    else:
        with pytest.raises(InputError, match=said):
            is_on_hub(given)
    assert is_on_hub("owner/name")


def test_a_file_whose_suffix_says_nothing_is_refused_with_the_list(tmp_path):
    (tmp_path / "texts.doc").write_text("a")
    with pytest.raises(InputError, match=r"\.txt, \.csv, \.tsv, \.jsonl, \.parquet"):
        is_on_hub(str(tmp_path / "texts.doc"))


def test_a_file_that_is_written_to_while_a_run_reads_it_is_noticed(tmp_path):
    path = tmp_path / "texts.txt"
    path.write_text("one\ntwo\n")
    found = fetch_texts.fn(str(path), "text", None, HubPlace())
    assert list(read(found.texts, split_texts.fn(found, 1).whole)) == [(0, "one"), (1, "two")]
    found.check()
    path.write_text("one\n2\n\n\n")
    with pytest.raises(FormatError, match="was changed while its texts were encoded"):
        found.check()
    path.unlink()
    with pytest.raises(FormatError, match="was changed"):
        found.check()
