"""Prefect's clients, created quickly: a run creates one for each of its subflows, and some more."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import certifi
from prefect.settings import (
    PREFECT_API_SSL_CERT_FILE,
    PREFECT_CLIENT_CSRF_SUPPORT_ENABLED,
    temporary_settings,
)

_HERE = ("localhost", "127.0.0.1", "::1")
_END = "-----END CERTIFICATE-----"


@contextmanager
def quick_clients(url: str, *, need_tokens: bool) -> Iterator[None]:
    """Skip what clients of a server do not need: tokens, and certificates if it speaks plain HTTP on this machine.

    Args:
        url: address of the server.
        need_tokens: whether the server accepts changes only with a CSRF token of the client.
    """
    with tempfile.TemporaryDirectory() as folder:
        settings: dict[Any, Any] = {} if need_tokens else {PREFECT_CLIENT_CSRF_SUPPORT_ENABLED: False}
        if urlsplit(url).scheme == "http" and urlsplit(url).hostname in _HERE:
            settings[PREFECT_API_SSL_CERT_FILE] = _one_certificate(folder)
        with temporary_settings(settings):
            yield


def _one_certificate(folder: str) -> str:
    """Return a file with one certificate. A client reads it in a millisecond, and all certificates in forty."""
    path = Path(folder, "one.pem")
    path.write_text(certifi.contents().partition(_END)[0] + _END + "\n", encoding="utf-8")
    return str(path)
