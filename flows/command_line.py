"""A flow as a command: its parameters as options, a user's mistake as one message, its end as the exit code.

What needs Prefect is imported when there is something to run: help and refusals come at once.
"""

import inspect
import logging
import os
import sys
from importlib import import_module
from typing import Any, NoReturn, get_type_hints

from cyclopts import App, Parameter
from pydantic import ValidationError

from flows.parameters.declared import Parameters, help_of, signature_of
from nadp.errors import InputError

FAILED, MISUSED = 1, 2

_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_SETTINGS = {
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",  # nobody is told of the run
    "DO_NOT_TRACK": "1",
    "HF_UPDATE_DOWNLOAD_COUNTS": "0",
    "PREFECT_LOGGING_EXTRA_LOGGERS": "nadp",  # the log of the library is shown, and Dask's where something is wrong
    "DASK_LOGGING__DISTRIBUTED": "warning",
}


def main(name: str) -> None:
    """Run a flow with the options of the command line; the process ends with 0 (completed), 1 (failed) or 2 (misuse).

    Args:
        name: of the flow, its module, and the module of its parameters.
    """
    options = Parameter(consume_multiple=True, negative=())
    app = App(name=f"python -m flows.{name}", default_parameter=options, version_flags=[])
    app.default(_command(name, getattr(import_module(f"flows.parameters.{name}"), name.capitalize())))
    app()


def _command(name: str, declared: type[Parameters]) -> Any:  # noqa: ANN401 - a function of the declared signature
    """Return a function with a flow's parameters, all by name, that runs it and ends the process."""

    def command(**given: Any) -> None:  # noqa: ANN401 - as declared
        try:
            declared.model_validate(given).check()
        except ValidationError as error:
            _end("\n".join(_messages(error)), MISUSED)
        except InputError as error:
            _end(f"error: {error}", MISUSED)
        _prepare_process()
        _run(name, given)

    kinds = get_type_hints(declared)  # without their limits: it is the class that says what breaks them
    taken = signature_of(declared).parameters.values()
    by_name = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=kinds[p.name]) for p in taken]
    # The ignore: __signature__ is what inspect reads, but a function is not declared to have it
    command.__signature__ = inspect.Signature(by_name)  # type: ignore[attr-defined]
    command.__doc__ = help_of(declared)
    return command


def _messages(error: ValidationError) -> list[str]:
    """Return what is wrong with which option, a line each."""
    found = error.errors(include_url=False)
    return [f"error: --{str(e['loc'][0]).replace('_', '-')}: {e['msg']}, not {e['input']!r}" for e in found]


def _prepare_process() -> None:
    """Set what libraries read from the environment when they are imported; what the user has set stays."""
    for name, value in _SETTINGS.items():
        os.environ.setdefault(name, value)
    given = os.environ.get("no_proxy") or os.environ.get("NO_PROXY") or ""
    hosts = ",".join(dict.fromkeys([host.strip() for host in given.split(",") if host.strip()] + [*_LOOPBACK]))
    os.environ["no_proxy"] = os.environ["NO_PROXY"] = hosts  # no proxy can reach a server of this machine


def _run(name: str, given: dict[str, Any]) -> None:
    """Run a flow, with a server that starts while the flow is imported, and end the process as the flow ended."""
    from flows.server import ServerError, server  # noqa: PLC0415 - as above

    try:
        with server() as wait_for_it:
            flow = getattr(import_module(f"flows.{name}"), name)
            for logger in ("prefect.flow_runs", "prefect.task_runs"):
                logging.getLogger(logger).addFilter(_without_traceback)
            wait_for_it()
            state = flow(**given, return_state=True)
    except ServerError as error:
        _end(f"error: {error}", FAILED)
    if state.is_completed():
        print(f"completed: {state.message}")  # noqa: T201 - this is a command
        return
    cause = state.result(raise_on_failure=False)
    if isinstance(cause, InputError):
        _end(f"error: {cause}", MISUSED)
    _end(f"{state.type.value.lower()}: {state.message}", FAILED)


def _end(message: str, code: int) -> NoReturn:
    print(message, file=sys.stderr)  # noqa: T201 - this is a command
    sys.exit(code)


def _without_traceback(record: logging.LogRecord) -> bool:
    """Let a record pass, less the traceback of a user's mistake: its message says all there is to say."""
    error = record.exc_info[1] if isinstance(record.exc_info, tuple) else None
    if isinstance(error, InputError):
        record.exc_info = record.exc_text = None
    return True
