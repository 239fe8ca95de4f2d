"""Benchmarks that are a file on the web, and what happens where one source fails and another is left."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from nadp.errors import FormatError
from tasks.sources.benchmarks.fetching import fetch_benchmark
from tasks.sources.benchmarks.locating import locate
from tasks.sources.retries import UnreachableError, is_transient
from tests.servers import FileServer, closed_port

PUZZLES = b"animal: whale,dog,cat,pig,cow \ndate_status: whirlpool,data_sets,do_tests,timely,current\n"
ROWS = [[["whale", "dog", "cat", "pig", "cow"]], [["whirlpool", "data_sets", "do_tests", "timely", "current"]]]


def fetched(*urls, name="odd-man-out"):
    place = locate(name, None)
    web = next(source for source in place.benchmark.sources if source.place == "url")
    asked = replace(place.benchmark, sources=tuple(replace(web, location=url) for url in urls))
    return fetch_benchmark.fn(replace(place, benchmark=asked))


def rows_of(found):
    return json.loads(Path(found.files[0].path).read_text(encoding="utf-8"))


@pytest.fixture
def puzzles(home, server):  # noqa: ARG001 - the file goes there
    server.files["/puzzles.txt"] = PUZZLES
    return server


def test_a_file_of_the_web_is_fetched_once(puzzles):
    url = f"{puzzles.url}/puzzles.txt"
    first, second = fetched(url), fetched(url)
    assert rows_of(first) == ROWS
    assert first == second
    assert first.origin == f"url {url}"
    assert re.search(rf"{re.escape(url)} .*\b2\b.*\b1173\b", first.warning)
    assert puzzles.count("GET") == 1


def test_two_files_of_one_name_are_two_files(puzzles):
    puzzles.files["/other/puzzles.txt"] = PUZZLES.replace(b"whale", b"shark")
    found = [rows_of(fetched(puzzles.url + path)) for path in ("/puzzles.txt", "/other/puzzles.txt")]
    assert [rows[0][0][0] for rows in found] == ["whale", "shark"]


def test_a_table_without_a_header_gets_its_columns(home, server):  # noqa: ARG001
    server.files["/verbs"] = b"take\tremove\tV\t6.81\tSYNONYMS\r\nnull\tnan\tV\t1.5\t\r\n"
    found = fetched(f"{server.url}/verbs", name="simverb3500")
    assert rows_of(found) == [["take", "remove", "6.81"], ["null", "nan", "1.5"]]


@pytest.mark.parametrize("missing", ["{closed}/puzzles.txt", "{here}/nothing"])
def test_where_one_place_has_nothing_the_next_is_tried(puzzles, missing):
    found = fetched(missing.format(closed=closed_port(), here=puzzles.url), f"{puzzles.url}/puzzles.txt")
    assert rows_of(found) == ROWS


def test_where_no_place_has_it_all_are_named(puzzles):
    closed = closed_port()
    with pytest.raises(UnreachableError) as caught:
        fetched(f"{closed}/puzzles.txt", f"{puzzles.url}/nothing")
    message = str(caught.value)
    assert "odd-man-out" in message
    assert "cannot be reached" in message
    assert f"{puzzles.url}/nothing" in message
    assert "404" in message


def test_a_web_server_in_trouble_is_asked_again_by_prefect(puzzles):
    puzzles.fail(status=503)
    with pytest.raises(Exception, match="503") as caught:
        fetched(f"{puzzles.url}/puzzles.txt")
    assert is_transient(caught.value)
    assert rows_of(fetched(f"{puzzles.url}/puzzles.txt")) == ROWS


def test_a_page_that_is_no_benchmark_is_not_kept_for_the_next_time(puzzles):
    puzzles.files["/puzzles.txt"] = b"<html>Please log in to this network</html>\n"
    with pytest.raises(FormatError, match="is not a puzzle"):
        fetched(f"{puzzles.url}/puzzles.txt")
    puzzles.files["/puzzles.txt"] = PUZZLES
    assert rows_of(fetched(f"{puzzles.url}/puzzles.txt")) == ROWS


@pytest.mark.parametrize("shared", [False, True])
def test_a_page_whose_rows_are_no_benchmark_is_not_kept_either(home, server, monkeypatch, shared):
    if shared:
        monkeypatch.setenv("NADP_HOME", f"file://{home}/store")
        monkeypatch.setenv("NADP_CACHE", str(home / "cache"))
    url = f"{server.url}/verbs"
    server.files["/verbs"] = b"<html>\tPlease log\tin\tto this\tnetwork</html>\n"
    with pytest.raises(FormatError, match="is not a number"):
        fetched(url, name="simverb3500")
    assert not list(home.rglob("verbs"))
    server.files["/verbs"] = b"take\tremove\tV\t6.81\tSYNONYMS\r\n"
    found = fetched(url, name="simverb3500")
    assert json.loads(found.files[0].local().read_text()) == [["take", "remove", "6.81"]]


def test_offline_nothing_is_asked_of_the_web(puzzles, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(UnreachableError, match=r"puzzles\.txt is not fetched: offline mode is on"):
        fetched(f"{puzzles.url}/puzzles.txt")
    assert puzzles.asked == []


def test_offline_what_was_fetched_before_is_used_again(puzzles, monkeypatch):
    fetched(f"{puzzles.url}/puzzles.txt")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert rows_of(fetched(f"{puzzles.url}/puzzles.txt")) == ROWS


def test_text_that_is_compressed_in_transit_is_the_same_text(home):
    with FileServer({"/puzzles.txt": PUZZLES}, compress=True) as server:
        assert rows_of(fetched(f"{server.url}/puzzles.txt")) == ROWS
    kept = [path for path in home.rglob("puzzles.txt") if path.is_file()]
    assert [path.read_bytes() for path in kept] == [PUZZLES]
