import hashlib
from concurrent.futures import ThreadPoolExecutor

import httpx
import numpy as np
import pytest

from nadp.errors import InputError
from tasks.embedding import download_glove
from tasks.sources.downloads import downloaded
from tasks.sources.retries import UnreachableError, is_transient
from tests.servers import FileServer, closed_port

MEGABYTE = 1 << 20
CONTENT = np.random.default_rng(5).bytes(3 * MEGABYTE + 17)
SHA256 = hashlib.sha256(CONTENT).hexdigest()
HALF = 2 * MEGABYTE + 999


@pytest.fixture
def target(tmp_path):
    return tmp_path / "downloads" / "vectors.zip"


@pytest.fixture
def url(server):
    server.files["/vectors.zip"] = CONTENT
    return f"{server.url}/vectors.zip"


def part_of(target):
    return target.with_name(target.name + ".part")


def left_in(target):
    return sorted(path.name for path in target.parent.iterdir())


def ranges(server):
    return [asked.byte_range for asked in server.asked]


def test_a_file_comes_whole_and_is_not_fetched_again(url, server, target):
    for _ in range(2):
        assert downloaded([url], target, SHA256).read_bytes() == CONTENT
    assert ranges(server) == [None]
    assert left_in(target) == ["vectors.zip"]


def test_two_runs_at_once_download_a_file_only_once(url, server, target):
    server.fail(pause=0.5, times=2)
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda _: downloaded([url], target, None), range(2)))
    assert [path.read_bytes() for path in found] == [CONTENT, CONTENT]
    assert ranges(server) == [None]
    assert left_in(target) == ["vectors.zip"]


def test_a_download_that_broke_off_is_taken_up_where_it_stopped(url, server, target):
    server.fail(cut=HALF)
    with pytest.raises(httpx.RemoteProtocolError) as caught:
        downloaded([url], target, SHA256)
    assert is_transient(caught.value)
    assert not target.exists()
    have = part_of(target).stat().st_size
    assert 0 < have <= HALF
    assert downloaded([url], target, SHA256).read_bytes() == CONTENT
    assert ranges(server) == [None, f"bytes={have}-"]
    assert server.asked[-1].status == 206
    assert left_in(target) == ["vectors.zip"]


def test_a_server_that_knows_no_parts_sends_the_whole_file_again(url, server, target):
    server.fail(cut=HALF)
    server.fail(ignore_range=True)
    with pytest.raises(httpx.RemoteProtocolError):
        downloaded([url], target, SHA256)
    assert downloaded([url], target, SHA256).read_bytes() == CONTENT
    assert ranges(server)[1] is not None
    assert server.asked[1].status == 200


def test_a_download_that_lacks_nothing_any_more_is_finished(url, server, target):
    target.parent.mkdir()
    part_of(target).write_bytes(CONTENT)
    assert downloaded([url], target, SHA256).read_bytes() == CONTENT
    assert server.asked[0].status == 416


@pytest.mark.parametrize("fault", [{"status": 503}, {"status": 404}, {"cut": HALF}])
def test_a_mirror_gives_what_the_first_place_does_not(url, server, target, fault):
    server.fail(where="^/vectors", **fault)
    server.files["/mirror.zip"] = CONTENT
    mirror = f"{server.url}/mirror.zip"
    assert downloaded([url, mirror], target, SHA256).read_bytes() == CONTENT
    assert [asked.path for asked in server.asked] == ["/vectors.zip", "/mirror.zip"]
    assert (ranges(server)[1] is not None) == ("cut" in fault)


def test_a_mirror_gives_what_a_dead_host_does_not(url, target):
    assert downloaded([f"{closed_port()}/vectors.zip", url], target, SHA256).read_bytes() == CONTENT


def test_a_file_with_another_checksum_is_removed_and_said_so(url, target):
    with pytest.raises(InputError, match=f"{url} has SHA-256 {SHA256}, not {'0' * 64}: .* has been removed"):
        downloaded([url], target, "0" * 64)
    assert left_in(target) == []


def test_what_is_resumed_onto_another_file_is_found_out(url, target):
    target.parent.mkdir()
    part_of(target).write_bytes(b"\0" * MEGABYTE)
    with pytest.raises(InputError, match="has been removed"):
        downloaded([url], target, SHA256)
    assert downloaded([url], target, SHA256).read_bytes() == CONTENT


def test_without_a_checksum_what_comes_is_kept_and_its_checksum_logged(url, target, caplog):
    assert downloaded([url], target, None).read_bytes() == CONTENT
    assert SHA256 in caplog.text


def test_503_from_everywhere_may_pass(url, server, target):
    server.fail(status=503, times=2)
    with pytest.raises(httpx.HTTPStatusError, match="503") as caught:
        downloaded([url, url], target, SHA256)
    assert is_transient(caught.value)
    assert server.count("GET") == 2


def test_one_server_in_trouble_beside_a_dead_one_may_pass(url, server, target):
    server.fail(status=503)
    with pytest.raises(httpx.HTTPStatusError, match="503"):
        downloaded([url, closed_port()], target, SHA256)


def test_hosts_that_do_not_answer_are_unreachable(target):
    urls = [f"{closed_port()}/{name}" for name in ("one", "two")]
    with pytest.raises(UnreachableError, match="give the path of a local copy instead") as caught:
        downloaded(urls, target, SHA256)
    assert [url for url in urls if url not in str(caught.value)] == []
    assert not is_transient(caught.value)


def test_a_file_that_nobody_has_is_unreachable_and_not_asked_for_again(server, target):
    with pytest.raises(UnreachableError, match="404"):
        downloaded([f"{server.url}/none"], target, SHA256)
    assert not target.exists()


def test_a_body_that_is_compressed_in_transit_is_stored_as_it_was(target):
    text = b"word 1.5 2.5\n" * 1000
    with FileServer({"/vectors.txt": text}, compress=True) as server:
        found = downloaded([f"{server.url}/vectors.txt"], target, hashlib.sha256(text).hexdigest())
    assert found.read_bytes() == text


def test_a_users_own_mirror_is_asked_first(home, server, monkeypatch):
    server.files["/glove/glove.6B.zip"] = CONTENT
    monkeypatch.setenv("NADP_GLOVE_URLS", f"{closed_port()} {server.url}/glove/")
    found = download_glove.fn("glove.6B.50d", sha256=SHA256)
    assert (found.name, found.member) == ("glove.6B.50d", "glove.6B.50d.txt")
    assert found.file.sha256 == SHA256
    assert found.file.path == str(home / "downloads" / "glove.6B.zip")


def test_what_a_mirror_calls_glove_must_be_glove(home, server, monkeypatch):  # noqa: ARG001
    server.files["/glove.6B.zip"] = CONTENT
    monkeypatch.setenv("NADP_GLOVE_URLS", server.url)
    with pytest.raises(InputError, match=f"has SHA-256 {SHA256}, not 617afb2fe6cbd085c235baf7a465b96f"):
        download_glove.fn("glove.6B.100d")


def test_a_file_that_lies_there_already_is_checked_all_the_same(home):
    lying = home / "downloads" / "glove.42B.300d.zip"
    lying.parent.mkdir(parents=True)
    lying.write_bytes(b"something else")
    with pytest.raises(InputError, match="it is damaged or another file"):
        download_glove.fn("glove.42B.300d")
