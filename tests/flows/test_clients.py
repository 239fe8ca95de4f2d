"""What Prefect's clients skip, when they ask again, and for which servers."""

import json
import re
import ssl
from contextlib import contextmanager
from types import SimpleNamespace

import httpx
import prefect
import pytest
from prefect.client import base
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.context import AsyncClientContext, SyncClientContext
from prefect.settings import (
    PREFECT_API_SSL_CERT_FILE,
    PREFECT_API_URL,
    PREFECT_CLIENT_CSRF_SUPPORT_ENABLED,
    temporary_settings,
)
from prefect.utilities.asyncutils import run_coro_as_sync

from flows import command_line
from flows import server as servers
from flows.clients import patient_clients, quick_clients
from tests.servers import FileServer


def certificates():
    """The number of certificates that a client of now loads."""
    return len(ssl.create_default_context(cafile=PREFECT_API_SSL_CERT_FILE.value()).get_ca_certs())


@pytest.mark.parametrize("url", ["http://127.0.0.1:4200/api", "http://localhost:4200/api", "http://[::1]:4200/api"])
def test_clients_of_a_server_on_this_machine_load_one_certificate(url):
    with quick_clients(url, need_tokens=False):
        assert certificates() == 1
        SyncPrefectClient(url)


@pytest.mark.parametrize("url", ["https://127.0.0.1/api", "http://192.0.2.1/api", "https://api.example.org"])
def test_clients_of_other_servers_load_what_they_would(url):
    before = PREFECT_API_SSL_CERT_FILE.value()
    with quick_clients(url, need_tokens=False):
        assert PREFECT_API_SSL_CERT_FILE.value() == before


@pytest.mark.parametrize(
    ("answers", "needed"), [({"/api/health": b"true"}, False), ({"/api/health": b"", "/api/csrf-token": b"{}"}, True)]
)
def test_clients_ask_for_tokens_only_where_the_server_gives_them(answers, needed):
    with FileServer(answers) as running:
        url = f"{running.url}/api"
        with quick_clients(url, need_tokens=servers._check(url)):
            assert PREFECT_CLIENT_CSRF_SUPPORT_ENABLED.value() == needed


@pytest.mark.parametrize("status", [401, 403])
def test_a_server_that_wants_another_password_is_reported_with_what_to_set(status):
    with FileServer({"/api/health": b"true"}) as running:
        running.fail(where="csrf-token", status=status)
        refused = rf"{running.url}/api refuses this command \({status} .*PREFECT_API_AUTH_STRING to its name:password"
        with pytest.raises(servers.ServerError, match=refused):
            servers._check(f"{running.url}/api")


def test_a_server_that_is_gone_after_the_check_is_reported_in_one_line(monkeypatch, capsys):
    @contextmanager
    def server():
        raise httpx.ConnectError("refused")
        yield

    monkeypatch.setattr(servers, "server", server)
    with pytest.raises(SystemExit) as ended:
        command_line._run("experiment", {})
    assert ended.value.code == 1
    said = capsys.readouterr()
    assert re.fullmatch(r"failed: Prefect's server no longer answers \(refused\).*\n", said.out + said.err)


def asked():
    """The answer of the server to a client of a flow."""
    with get_client(sync_client=True) as client:
        return client.hello().json()


async def asked_from_a_coroutine():
    async with get_client() as client:
        return (await client.hello()).json()


@pytest.fixture
def waits(monkeypatch):
    """The seconds for which clients wait from now on, without waiting."""
    found = []

    async def sleep(seconds):
        found.append(seconds)

    monkeypatch.setattr(base, "time", SimpleNamespace(sleep=found.append))
    monkeypatch.setattr(base, "anyio", SimpleNamespace(sleep=sleep))
    return found


@pytest.mark.servers
@pytest.mark.usefixtures("prefect_server")
@pytest.mark.parametrize("ask", [asked, lambda: run_coro_as_sync(asked_from_a_coroutine())], ids=["sync", "async"])
def test_a_busy_server_is_soon_asked_again_three_times_and_then_as_prefect_would(waits, ask):
    answers = {"/api/hello": b'"hello"', "/api/admin/version": json.dumps(prefect.__version__).encode()}
    with FileServer(answers) as running, temporary_settings({PREFECT_API_URL: f"{running.url}/api"}):
        running.fail(where="hello", times=4, status=503)
        with patient_clients(f"{running.url}/api"):
            assert ask() == "hello"
        assert running.count("GET", "hello") == 5
    assert waits[:3] == pytest.approx([0.1, 0.3, 1.0], rel=0.2)
    assert waits[3] > 8


@pytest.mark.parametrize("url", ["https://127.0.0.1/api", "http://192.0.2.1/api"])
def test_other_servers_are_asked_as_prefect_asks_them(url):
    with patient_clients(url):
        assert SyncClientContext.get() is AsyncClientContext.get() is None
