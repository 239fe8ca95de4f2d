"""Benchmarks of the Hub, through its real client and the whole road from `locate` to a file of rows."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tasks.sources.benchmarks.catalogue import BENCHMARKS
from tasks.sources.benchmarks.fetching import fetch_benchmark
from tasks.sources.benchmarks.locating import locate
from tasks.sources.retries import UnreachableError, is_transient
from tests.servers import closed_port
from tests.tasks.sources.benchmarks.hub_cases import FAULTS, STS_B_REVISION, Outcome, layouts
from tests.tasks.sources.benchmarks.hub_client import CACHED

ROOT = Path(__file__).parents[4]


def run(mode, folder):
    command = [sys.executable, "-m", "tests.tasks.sources.benchmarks.hub_client", mode, str(folder)]
    done = subprocess.run(command, cwd=ROOT, env=os.environ, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    results = json.loads((folder / f"{mode}.json").read_text(encoding="utf-8"))
    return {name: Outcome(**found) for name, found in results.items()}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hub")
    (folder / "hub").mkdir()
    words = folder / "benchmarks" / "word_similarity" / "rg65" / "EN-RG-65.txt"
    words.parent.mkdir(parents=True)
    words.write_text("gem\tjewel\t3.94\ncord\tsmile\t0.02\n")
    return folder


@pytest.fixture(scope="module")
def online(folder):
    return run("online", folder)


@pytest.fixture(scope="module")
def offline(folder, online):  # noqa: ARG001 - fills the cache
    return run("offline", folder)


def declared(name):
    return next(source for source in BENCHMARKS[name].sources if source.place == "hub")


@pytest.mark.parametrize("layout", layouts())
def test_the_rows_of_each_layout_come_in_the_familys_order_of_columns(online, layout):
    case, found = layouts()[layout], online[layout]
    assert found.errors == []
    assert found.rows == case.rows
    assert found.origin == f"hub {declared(case.benchmark).location}"


@pytest.mark.parametrize("layout", layouts())
def test_another_number_of_rows_than_declared_is_recorded(online, layout):
    case, found = layouts()[layout], online[layout]
    source = declared(case.benchmark)
    odd = f"{source.location} has {len(case.rows)} rows, but {source.rows} are declared"
    assert found.warning == ("" if source.rows in (None, len(case.rows)) else odd)


def test_the_words_of_353_rows_are_as_many_as_declared(online):
    assert online["comma-separated"].warning == ""


def test_a_pinned_data_set_is_asked_for_at_its_revision_only(online):
    paths = [path for _, path, _ in online["jsonl.gz at a revision"].asked if "stsbenchmark-sts" in path]
    assert len(paths) > 3
    assert [path for path in paths if STS_B_REVISION not in path] == []


@pytest.mark.parametrize(
    "fault", ["503 at the first question", "data that break off once", "503 at the data, tried again"]
)
def test_what_the_client_gets_over_does_not_show(online, fault):
    assert online[fault].errors == []
    assert online[fault].rows == FAULTS[fault].rows


def test_503_at_the_first_question_was_really_answered(online):
    assert 503 in [status for _, _, status in online["503 at the first question"].asked]
    assert len([path for _, path, _ in online["data that break off once"].asked if path.endswith(".gz")]) > 2


@pytest.mark.parametrize("fault", ["503 at the list of files", "503 at the data", "data that always break off"])
def test_what_the_client_does_not_get_over_is_tried_again_by_prefect(online, fault):
    assert online[fault].errors
    assert online[fault].transient, online[fault].errors


@pytest.mark.parametrize(
    ("fault", "named"),
    [
        ("another revision", ["mteb/sts16-sts", declared("sts16").revision]),
        ("unknown data set", ["mteb/sts13-sts"]),
        ("no score is known", ["sts12", "-1", "not labelled"]),
        ("no label of the test split is known", ["sst2", "-1", "test"]),
        ("a column has another name", ["mteb/sts12-sts", "'sentence2'", "'sentence1', 's2', 'score'"]),
        ("a split is missing", ["test", "train"]),
    ],
)
def test_what_is_not_the_benchmark_is_refused_at_once_and_says_why(online, fault, named):
    found = online[fault]
    assert found.errors
    assert not found.transient
    assert [word for word in named if word not in found.message] == []


@pytest.mark.parametrize(
    "fault", ["no score is known", "no label of the test split is known", "a column has another name"]
)
def test_a_data_set_that_is_not_as_declared_is_a_format_error(online, fault):
    assert online[fault].errors[0] == "FormatError"


def test_a_data_set_that_the_hub_does_not_know_leaves_the_next_source_to_be_tried(online):
    found = online["unknown data set before a known one"]
    assert found.errors == []
    assert found.rows == FAULTS["unknown data set before a known one"].rows


def test_only_the_hub_and_its_own_hosts_are_asked_for_a_data_set(online):
    hosts = {host.split(":")[0] for found in online.values() for host in found.outside}
    assert hosts - {"datasets-server.127.0.0.1"} == set()


def test_nobody_is_asked_for_a_file_of_this_disk(online):
    found = online["a file of this disk"]
    assert found.rows == [["gem", "jewel", "3.94"], ["cord", "smile", "0.02"]]
    assert (found.asked, found.outside) == ([], [])


@pytest.mark.parametrize("layout", CACHED)
def test_offline_a_data_set_of_the_cache_is_read_from_it(offline, layout):
    assert offline[layout].errors == []
    assert offline[layout].rows == layouts()[layout].rows


def test_offline_a_data_set_that_is_not_in_the_cache_is_unreachable(offline):
    found = offline["never fetched"]
    assert found.errors[0] == "UnreachableError"
    assert "mteb/sts13-sts" in found.message
    assert "offline" in found.message
    assert not found.transient


def test_a_hub_that_does_not_answer_is_given_up_within_ten_seconds(monkeypatch, home):  # noqa: ARG001
    monkeypatch.setenv("HF_ENDPOINT", closed_port())
    began = time.monotonic()
    with pytest.raises(UnreachableError, match=r"sts-b is not available: 127\.0\.0\.1 cannot be reached") as caught:
        fetch_benchmark.fn(locate("sts-b", None))
    assert time.monotonic() - began < 10
    assert not is_transient(caught.value)
