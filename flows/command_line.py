"""Flows as commands: parameters become options, a mistake one message, and the final state the exit code.

Prefect is imported only when there is something to run, so help and refusals are quick.
"""

import errno
import logging
import os
from collections.abc import Callable
from importlib import import_module
from typing import Any

from nadp.cli.commands import FAILED, MISUSED, app, command, end, start
from nadp.cli.declared import Parameters
from nadp.errors import InputError
from nadp.runtime.memory import FLOW, address_space_needed, is_lack_of_memory

_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_OF_DISKS = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOMEM}
_MEND = "make room, or choose other folders (--out, NADP_HOME, PREFECT_HOME, TMPDIR), and run the same command again"
_SETTINGS = {
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",  # no telemetry
    "DO_NOT_TRACK": "1",
    "HF_UPDATE_DOWNLOAD_COUNTS": "0",
    "PREFECT_LOGGING_EXTRA_LOGGERS": "nadp",  # show the library's log, and Dask's warnings
    "DASK_LOGGING__DISTRIBUTED": "warning",
}

_IMPORTED_LATER = ("prefect.flow_engine", "prefect.task_engine", "fastapi.encoders")  # at the first run of a flow


def main(name: str) -> None:
    """Run a flow with the options of the command line; the process ends with 0 (completed), 1 (failed) or 2 (misuse).

    Args:
        name: name of the flow, its module, and the module of its parameters.
    """

    def run(_: Parameters, options: dict[str, Any]) -> None:
        address_space_needed(FLOW)
        _prepare_process()
        _run(name, options)

    address_space_needed()
    application = app(f"python -m flows.{name}")
    application.default(command(getattr(import_module(f"flows.parameters.{name}"), name.capitalize()), run))
    start(application)


def _prepare_process() -> None:
    """Set variables that libraries read when they are imported; the user's own values stay."""
    for name, value in _SETTINGS.items():
        os.environ.setdefault(name, value)
    no_proxy = os.environ.get("no_proxy") or os.environ.get("NO_PROXY") or ""
    hosts = ",".join(dict.fromkeys([host.strip() for host in no_proxy.split(",") if host.strip()] + [*_LOOPBACK]))
    os.environ["no_proxy"] = os.environ["NO_PROXY"] = hosts  # no proxy can reach a server on this machine


def _run(name: str, options: dict[str, Any]) -> None:
    """Run a flow and end the process with its exit code. The server starts while the flow is imported."""
    from flows.server import ServerError, server  # noqa: PLC0415 - as above

    try:
        with server() as await_server:
            state = _end_state(name, options, await_server)
    except ServerError as error:
        end(f"error: {error}", FAILED)
    except _http_error() as error:
        end(f"failed: Prefect's server no longer answers ({error}); is there enough memory? Run it again", FAILED)
    if state.is_completed():
        print(f"completed: {state.message}")  # noqa: T201 - this is a command
        return
    cause = state.result(raise_on_failure=False)
    if isinstance(cause, InputError):
        end(f"error: {cause}", MISUSED)
    if is_of_the_machine(cause):
        end(f"failed: {str(cause) or 'out of memory'}: {_MEND}", FAILED)
    end(f"{state.type.value.lower()}: {state.message}", FAILED)


def _end_state(name: str, options: dict[str, Any], await_server: Callable[[], None]) -> Any:  # noqa: ANN401 - Prefect's
    """Return the final state of a flow.

    While the server starts, the sources of its tasks are digested, and a function `meanwhile` of its module runs.
    """
    from flows.importing import importing  # noqa: PLC0415 - as above

    with importing():
        module = import_module(f"flows.{name}")
        for later in _IMPORTED_LATER:
            import_module(later)
        from tasks.store.caching import digest_tasks  # noqa: PLC0415 - as above
    for logger in ("prefect.flow_runs", "prefect.task_runs"):
        logging.getLogger(logger).addFilter(_without_traceback)
    getattr(module, "meanwhile", _nothing)()
    digest_tasks()
    await_server()
    return getattr(module, name)(**options, return_state=True)


def _http_error() -> type[Exception]:
    """Return the class of the errors of Prefect's clients, once there is an error: it is slow to import."""
    from httpx import HTTPError  # noqa: PLC0415 - as above

    return HTTPError


def _nothing() -> None:
    """Do nothing while a server starts."""


def is_of_the_machine(error: BaseException | None) -> bool:
    """Return whether an error means that memory or the disk is full, or that a folder cannot be written."""
    return is_lack_of_memory(error) or (isinstance(error, OSError) and error.errno in _OF_DISKS)


def _without_traceback(record: logging.LogRecord) -> bool:
    """Pass a record, without the traceback of a user's mistake: its message is enough."""
    error = record.exc_info[1] if isinstance(record.exc_info, tuple) else None
    if isinstance(error, InputError) or is_of_the_machine(error):
        record.exc_info = record.exc_text = None
    return True
