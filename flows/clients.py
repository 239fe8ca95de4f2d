"""Prefect's clients, created quickly, and quick to ask a busy server of this machine again."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import certifi
import httpx
from prefect.context import AsyncClientContext, SyncClientContext
from prefect.settings import (
    PREFECT_API_SSL_CERT_FILE,
    PREFECT_CLIENT_CSRF_SUPPORT_ENABLED,
    temporary_settings,
)
from prefect.utilities.asyncutils import run_coro_as_sync

_HERE = ("localhost", "127.0.0.1", "::1")
_END = "-----END CERTIFICATE-----"
_WAITS = (0.1, 0.3, 1.0)  # seconds before a request is sent again for the first, second and third time


@contextmanager
def quick_clients(url: str, *, need_tokens: bool) -> Iterator[None]:
    """Skip what clients of a server do not need: tokens, and certificates if it speaks plain HTTP on this machine.

    Args:
        url: address of the server.
        need_tokens: whether the server accepts changes only with a CSRF token of the client.
    """
    with tempfile.TemporaryDirectory() as folder:
        settings: dict[Any, Any] = {} if need_tokens else {PREFECT_CLIENT_CSRF_SUPPORT_ENABLED: False}
        if _is_here(url):
            settings[PREFECT_API_SSL_CERT_FILE] = _one_certificate(folder)
        with temporary_settings(settings):
            yield


@contextmanager
def patient_clients(url: str) -> Iterator[None]:
    """Let the flows of this block share two clients that soon ask again where SQLite refused a transaction.

    A server on SQLite answers 503 if another transaction has written meanwhile. Prefect's clients would wait for 2, 4
    and 8 seconds. Servers on other machines are asked as Prefect asks them.

    Args:
        url: address of a server that answers.
    """
    if not _is_here(url):
        yield
        return
    opened: _AsyncClient = run_coro_as_sync(_opened())  # in the event loop in which flows use it
    try:
        with _SyncClient(), opened:
            yield
    finally:
        run_coro_as_sync(opened.client.__aexit__(None, None, None))


def _soon_again(response: httpx.Response) -> None:
    """Tell a client when to ask a busy server again; from the fourth time on, it decides by itself."""
    if response.status_code == HTTPStatus.SERVICE_UNAVAILABLE and "Retry-After" not in response.headers:
        seconds = next(response.request.extensions.setdefault("waits", iter(_WAITS)), None)
        if seconds is not None:
            response.headers["Retry-After"] = str(seconds)


async def _async_soon_again(response: httpx.Response) -> None:
    _soon_again(response)


class _SyncClient(SyncClientContext):
    def __init__(self) -> None:
        super().__init__(httpx_settings={"event_hooks": {"response": [_soon_again]}})
        self._httpx_settings = None  # flows ask for a client without settings


class _AsyncClient(AsyncClientContext):
    def __init__(self) -> None:
        super().__init__(httpx_settings={"event_hooks": {"response": [_async_soon_again]}})
        self._httpx_settings = None  # as above


async def _opened() -> _AsyncClient:
    context = _AsyncClient()
    await context.client.__aenter__()
    return context


def _is_here(url: str) -> bool:
    """Return whether a server speaks plain HTTP on this machine."""
    return urlsplit(url).scheme == "http" and urlsplit(url).hostname in _HERE


def _one_certificate(folder: str) -> str:
    """Return a file with one certificate. A client reads it in a millisecond, and all certificates in forty."""
    path = Path(folder, "one.pem")
    path.write_text(certifi.contents().partition(_END)[0] + _END + "\n", encoding="utf-8")
    return str(path)
