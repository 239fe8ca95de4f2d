"""The Prefect server of a command: the configured one, or a temporary one that ends with the command."""

import logging
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import IO
from uuid import uuid4

import psutil
from filelock import FileLock, Timeout

from flows.importing import importing
from nadp.files.paths import absolute

_HOST = "127.0.0.1"
_ANSWER = 10.0  # seconds that a server may take to answer
_IDLE = 20.0  # seconds without CPU use after which a starting server is given up; a start may take far longer
_ENDING = 5.0  # seconds
_START_LOCK_SECONDS = 60.0  # seconds: how long a command waits at most for another command's server to start
_ROOM = 1 << 20  # bytes that a new server writes at least
_EXCEPTION = re.compile(r"^[\w.]*(?:Error|Exception)(?:: .+)?$", re.MULTILINE)
_FAILURES = 10  # errors after which a starting server is given up, although it is busy
_LOG = 1 << 20  # bytes of a server's log that are read
_CAUSE = 300  # characters of the cause that are shown
# They need a server that keeps running, and starting them takes as long as the rest of the server's application
_WITHOUT_AUTOMATIONS = {"PREFECT_SERVER_SERVICES_TRIGGERS_ENABLED": "false"}


_own: ContextVar[bool] = ContextVar("whether the server is one of the command's own", default=False)


class ServerError(RuntimeError):
    """No Prefect server is available; the message names the cause and what to do."""


@contextmanager
def server() -> Iterator[Callable[[], None]]:
    """Provide a server for this block. Yields a function that waits until it responds, so imports can run meanwhile.

    Raises:
        ServerError: from the yielded function for a new server; at once if the configured server does not answer, or
            the folder of a new one cannot be written.
    """
    with ExitStack() as stack:
        home, started = _home(), None
        if not ("PREFECT_API_URL" in os.environ or (home / "profiles.toml").exists()):  # which may name a server
            started = stack.enter_context(_started(home))  # before Prefect is imported here, which takes a while
        with importing():
            from prefect.events.worker import EventsWorker  # noqa: PLC0415 - as above
            from prefect.logging.handlers import APILogHandler  # noqa: PLC0415 - as above
            from prefect.settings import (  # noqa: PLC0415 - as above
                PREFECT_API_URL,
                PREFECT_FLOWS_HEARTBEAT_FREQUENCY,
                PREFECT_HOME,
                PREFECT_SERVER_CSRF_PROTECTION_ENABLED,
                temporary_settings,
            )

            from flows.clients import patient_clients, quick_clients  # noqa: PLC0415 - as above
            from flows.heartbeats import own_heartbeats  # noqa: PLC0415 - as above
        url = PREFECT_API_URL.value()
        if url is not None:
            stack.close()
            with own_heartbeats(), quick_clients(url, need_tokens=_check(url)), patient_clients(url):
                yield _nothing
            return
        address, ready = started or stack.enter_context(_started(PREFECT_HOME.value()))
        logging.getLogger("prefect.flow_runs").addFilter(_is_no_link)
        settings = {
            PREFECT_API_URL: f"{address}/api",
            # Nobody watches for heartbeats here, and ending their thread would take each run up to a second
            PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None,
        }
        stack.enter_context(temporary_settings(settings))
        stack.enter_context(quick_clients(address, need_tokens=PREFECT_SERVER_CSRF_PROTECTION_ENABLED.value()))
        token = _own.set(True)
        try:
            yield ready
        finally:
            _own.reset(token)
            # Otherwise their threads would find no server
            APILogHandler().flush()
            EventsWorker.drain_all(timeout=_ENDING)


def takes_subflows_at_once() -> bool:
    """Return whether the server takes requests of several subflows without delay.

    On SQLite, a server of `prefect server start` refuses a transaction when another one has written meanwhile. The
    client then waits for 2, 4, 8 and more seconds. In a command's own server, transactions wait for each other.
    """
    return _own.get()


def _home() -> Path:
    """Return the folder of Prefect's server: PREFECT_HOME, or Prefect's default."""
    return absolute(os.environ.get("PREFECT_HOME") or "~/.prefect")


def _is_no_link(record: logging.LogRecord) -> bool:
    """Suppress links to UI pages, which a command's server does not have."""
    return not str(record.msg).startswith("View at")


def _nothing() -> None:
    """Wait for a server that has answered already."""


def _check(url: str) -> bool:
    """Refuse a server that is not Prefect's. Returns whether its clients need CSRF tokens."""
    import httpx  # noqa: PLC0415 - slow to import
    from prefect.settings import PREFECT_API_AUTH_STRING, PREFECT_API_KEY  # noqa: PLC0415 - as above

    name, key = PREFECT_API_AUTH_STRING.value(), PREFECT_API_KEY.value()
    auth = tuple(name.split(":", 1)) if name else None
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        with httpx.Client(auth=auth, headers=headers, timeout=_ANSWER, follow_redirects=True) as client:
            client.get(f"{url}/health").raise_for_status()
            answer = client.get(f"{url}/csrf-token", params={"client": str(uuid4())})
            if answer.status_code in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
                raise ServerError(
                    f"the Prefect server at {url} refuses this command ({answer.status_code} {answer.reason_phrase}): "
                    "set PREFECT_API_AUTH_STRING to its name:password, or PREFECT_API_KEY to a valid key"
                )
            return answer.status_code not in (HTTPStatus.NOT_FOUND, HTTPStatus.UNPROCESSABLE_ENTITY)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        cause = str(error).partition("\n")[0] or type(error).__name__
        raise ServerError(
            f"PREFECT_API_URL is {url}, and no Prefect server answers there ({cause}): start one there with "
            "`prefect server start`, or unset PREFECT_API_URL for a server of the command's own"
        ) from error


def _check_home(home: Path) -> None:
    """Refuse a folder in which a server cannot keep its database."""
    try:
        home.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=home) as file:
            file.write(bytes(_ROOM))
            file.flush()
    except OSError as error:
        raise ServerError(
            f"the folder of Prefect's server, {home}, cannot be written ({error.strerror}): make room there, or set "
            "PREFECT_HOME to another folder"
        ) from error


@contextmanager
def _started(home: Path) -> Iterator[tuple[str, Callable[[], None]]]:
    """Start a server; yields its address, and a function that waits until it responds.

    Servers of one PREFECT_HOME start one after the other: two of them would both create a missing database, and
    one would fail. A server has its own process group, so that Ctrl-C reaches only the command.
    """
    _check_home(home)
    start_lock = FileLock(home / "server-starts.lock")
    with suppress(Timeout):
        start_lock.acquire(timeout=_START_LOCK_SECONDS)
    with socket.create_server((_HOST, 0)) as listening, tempfile.TemporaryFile("w+", errors="replace") as log:
        address = f"http://{_HOST}:{listening.getsockname()[1]}"
        command = [sys.executable, "-m", "flows.serving", str(listening.fileno())]
        descriptors = [listening.fileno()]
        process = subprocess.Popen(  # noqa: S603 - nothing of the user's
            command,
            env=_WITHOUT_AUTOMATIONS | os.environ,
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            pass_fds=descriptors,
            process_group=0,
        )
        listening.close()  # otherwise a server that has ended would seem to listen

        def ready() -> None:
            try:
                _wait(process, address, log)
            finally:
                start_lock.release()

        try:
            yield address, ready
        finally:
            start_lock.release()
            _end(process)


def _wait(process: subprocess.Popen[bytes], address: str, log: IO[str]) -> None:
    """Wait until a server responds."""
    worker, cpu_seconds, last_activity = psutil.Process(process.pid), 0.0, time.monotonic()
    while process.poll() is None and time.monotonic() - last_activity < _IDLE and len(_errors(log)) < _FAILURES:
        if _answers(address):
            return
        with suppress(psutil.Error):
            cpu_seconds_now = sum(worker.cpu_times()[:2])
            cpu_seconds, last_activity = (
                (cpu_seconds_now, time.monotonic())
                if cpu_seconds_now > cpu_seconds + 0.1
                else (cpu_seconds, last_activity)
            )
    causes = _errors(log)
    reason = f"it has done nothing for {_IDLE:.0f} s" if len(causes) < _FAILURES else "it fails again and again"
    reason = reason if process.poll() is None else "it has ended"
    cause = f"{reason}; its last error: {causes[-1][:_CAUSE]}" if causes else reason
    raise ServerError(
        f"the Prefect server of this command, with its database in {_home()}, does not start: {cause}. "
        "Set PREFECT_HOME to an empty folder, or PREFECT_API_URL to a server that runs"
    )


def _errors(log: IO[str]) -> list[str]:
    """Return the errors in the log of a server, without moving the position at which the server writes."""
    return _EXCEPTION.findall(os.pread(log.fileno(), _LOG, 0).decode(errors="replace"))


def _answers(address: str) -> bool:
    """Return whether a server on this machine answers. No TLS: it would load all certificates each time."""
    connection = HTTPConnection(address.removeprefix("http://"), timeout=1.0)
    try:
        connection.request("GET", "/api/health")
        return connection.getresponse().status == HTTPStatus.OK
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def _end(process: subprocess.Popen[bytes]) -> None:
    """Stop a server by closing its standard input."""
    if process.stdin is not None:
        process.stdin.close()
    try:
        process.wait(_ENDING)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
