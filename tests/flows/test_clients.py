"""What Prefect's clients skip, and for which servers."""

import ssl

import pytest
from prefect.client.orchestration import SyncPrefectClient
from prefect.settings import PREFECT_API_SSL_CERT_FILE, PREFECT_CLIENT_CSRF_SUPPORT_ENABLED

from flows import server as servers
from flows.clients import quick_clients
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
