"""Retries: for network errors only."""

import socket
import time
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx
from prefect import Task
from prefect.client.schemas.objects import State, TaskRun
from prefect.tasks import exponential_backoff

_PROBE_SECONDS = 3.0
_PROBE_HOLDS = 60.0
_probed: dict[str, tuple[float, str]] = {}
_TRANSIENT_STATUS = frozenset({408, 425, 429, 500, 502, 503, 504})


class UnreachableError(ConnectionError):
    """A host does not respond, so an immediate retry is useless."""


def is_transient(error: BaseException | None) -> bool:
    """Return whether an error or its cause is a transient network error."""
    import httpx2  # noqa: PLC0415 - of the Hub's client, slow to import, and only needed after an error

    broke_off = (ConnectionError, TimeoutError, socket.gaierror, httpx.TransportError, httpx2.TransportError)
    while error is not None:
        if isinstance(error, UnreachableError):
            return False
        status = getattr(getattr(error, "response", None), "status_code", None)
        if status is not None:
            return status in _TRANSIENT_STATUS
        if isinstance(error, broke_off):
            return True
        error = error.__cause__ or error.__context__
    return False


def network_only(task: Task[..., Any], run: TaskRun, state: State[Any]) -> bool:
    """Return whether a failed task run should be retried."""
    del task, run
    return isinstance(state.data, BaseException) and is_transient(state.data)


NETWORK_RETRIES: dict[str, Any] = {
    "retries": 3,
    "retry_delay_seconds": exponential_backoff(backoff_factor=2),
    "retry_jitter_factor": 0.5,
    "retry_condition_fn": network_only,
}


def probe(url: str) -> None:
    """Refuse a host that does not accept a connection within three seconds; the result is cached for a minute.

    Raises:
        UnreachableError: if it does not connect.
    """
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port or (80 if parts.scheme == "http" else 443)
    if parts.scheme in getproxies() and not proxy_bypass(host):
        return  # clients use the proxy, whose reach is unknown here
    probed_at, refusal = _probed.get(f"{host}:{port}", (-_PROBE_HOLDS, ""))
    if time.monotonic() - probed_at > _PROBE_HOLDS:
        try:
            socket.create_connection((host, port), timeout=_PROBE_SECONDS).close()
            refusal = ""
        except OSError as error:
            refusal = f"{host} cannot be reached ({error})"
        _probed[f"{host}:{port}"] = (time.monotonic(), refusal)
    if refusal:
        raise UnreachableError(refusal)
