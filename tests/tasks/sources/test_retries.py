import socket

import httpx
import httpx2
import pytest
from prefect.states import Failed

from nadp.errors import FormatError, InputError
from tasks.sources.retries import UnreachableError, is_transient, network_only, probe
from tests.servers import FileServer, closed_port

ANYTHING = httpx.Request("GET", "http://127.0.0.1")


def status(code):
    return httpx.HTTPStatusError(str(code), request=ANYTHING, response=httpx.Response(code))


def caused(error, cause):
    try:
        raise error from cause
    except type(error) as raised:
        return raised


def in_the_course_of(error, first):
    try:
        try:
            raise first
        except type(first):
            raise error  # noqa: B904 - this is what is looked at
    except type(error) as raised:
        return raised


@pytest.mark.parametrize(
    "error",
    [
        ConnectionError("reset"),
        ConnectionResetError(),
        TimeoutError(),
        socket.gaierror(-3, "try again"),
        httpx.ConnectError("no"),
        httpx.ReadTimeout("slow"),
        httpx.RemoteProtocolError("broke off"),
        httpx2.ReadTimeout("slow"),
        *map(status, (408, 425, 429, 500, 502, 503, 504)),
        caused(ValueError("no data"), ConnectionError("reset")),
        caused(RuntimeError("no data"), status(503)),
        caused(KeyError("a"), caused(ValueError("b"), TimeoutError("c"))),
        in_the_course_of(FileNotFoundError("no data"), status(502)),
    ],
    ids=repr,
)
def test_faults_of_the_network_may_pass_also_as_the_cause_of_others(error):
    assert is_transient(error)


@pytest.mark.parametrize(
    "error",
    [
        None,
        ValueError("wrong"),
        FormatError("no puzzle"),
        InputError("no such file"),
        FileNotFoundError("gone"),
        PermissionError("no"),
        MemoryError(),
        UnreachableError("nobody there"),
        *map(status, (400, 401, 403, 404, 410, 416, 501)),
        caused(ValueError("wrong"), KeyError("a")),
        caused(RuntimeError("not had"), UnreachableError("nobody there")),
        caused(UnreachableError("nobody there"), ConnectionError("refused")),
        caused(RuntimeError("not had"), status(404)),
    ],
    ids=repr,
)
def test_everything_else_is_not_tried_again(error):
    assert not is_transient(error)


@pytest.mark.parametrize(
    ("state", "again"),
    [
        (Failed(data=ConnectionError("reset")), True),
        (Failed(data=ValueError("wrong")), False),
        (Failed(data=UnreachableError("nobody there")), False),
        (Failed(message="no error is kept"), False),
    ],
)
def test_a_task_is_tried_again_by_the_error_of_its_state(state, again):
    assert network_only(None, None, state) == again


def test_a_server_that_stalls_is_a_fault_that_may_pass(server):
    server.files["/file"] = b"content"
    server.fail(pause=1)
    with pytest.raises(httpx.ReadTimeout) as caught:
        httpx.get(f"{server.url}/file", timeout=0.1)
    assert is_transient(caught.value)


def test_a_host_that_listens_passes_the_probe(server):
    probe(server.url)
    probe(f"{server.url}/any/path")
    assert server.asked == []


def test_a_host_that_does_not_listen_fails_it_and_is_named():
    with pytest.raises(UnreachableError, match=r"127\.0\.0\.1 cannot be reached \(.*refused"):
        probe(closed_port())


def test_the_answer_of_a_probe_is_remembered():
    with FileServer() as server:
        probe(server.url)
    probe(server.url)
    with pytest.raises(httpx.ConnectError):
        httpx.get(server.url)


def test_the_refusal_of_a_probe_is_remembered():
    url = closed_port()
    with pytest.raises(UnreachableError) as first:
        probe(url)
    with socket.create_server(("127.0.0.1", int(url.rsplit(":", 1)[1]))), pytest.raises(UnreachableError) as second:
        probe(url)
    assert str(first.value) == str(second.value)


def test_what_one_host_answers_says_nothing_of_another(server):
    with pytest.raises(UnreachableError):
        probe(closed_port())
    probe(server.url)
