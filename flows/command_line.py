"""A flow as a command: its parameters as options, a user's mistake as one message, its end as the exit code."""

import functools
import inspect
import logging
import sys
from importlib import import_module
from typing import Any, cast

from cyclopts import App, Parameter
from prefect import Flow
from prefect.client.schemas.objects import State

from nadp.errors import InputError

FAILED, MISUSED = 1, 2


def main(module: str, name: str) -> None:
    """Run a flow with the options of the command line; the process ends with 0 (completed), 1 (failed) or 2 (misuse).

    Args:
        module: where the flow is, as in `python -m module`.
        name: of the flow in it.
    """
    flow: Flow[..., Any] = getattr(import_module(module), name)
    for logger in ("prefect.flow_runs", "prefect.task_runs"):
        logging.getLogger(logger).addFilter(_without_traceback)
    app = App(
        name=f"python -m {module}", default_parameter=Parameter(consume_multiple=True, negative=()), version_flags=[]
    )
    app.default(_command(flow))
    app()


def _command(flow: Flow[..., Any]) -> Any:  # noqa: ANN401 - a function of the flow's own signature
    """Return a function with a flow's parameters, all by name, that runs it and ends the process."""

    @functools.wraps(flow.fn)
    def command(**given: Any) -> None:  # noqa: ANN401 - the flow's own parameters
        try:
            state: State[Any] = cast("Any", flow)(**given, return_state=True)
        except InputError as error:
            _end(f"error: {error}", MISUSED)
        else:
            _report(state)

    signature = inspect.signature(flow.fn)
    by_name = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in signature.parameters.values()]
    # The ignore: __signature__ is what inspect reads, but a function is not declared to have it
    command.__signature__ = signature.replace(parameters=by_name, return_annotation=None)  # type: ignore[attr-defined]
    return command


def _report(state: State[Any]) -> None:
    """Say how a run ended, and end the process accordingly."""
    if state.is_completed():
        print(f"completed: {state.message}")  # noqa: T201 - this is a command
        return
    error = state.result(raise_on_failure=False)
    if isinstance(error, InputError):
        _end(f"error: {error}", MISUSED)
    _end(f"{state.type.value.lower()}: {state.message}", FAILED)


def _end(message: str, code: int) -> None:
    print(message, file=sys.stderr)  # noqa: T201 - this is a command
    sys.exit(code)


def _without_traceback(record: logging.LogRecord) -> bool:
    """Let a record pass, less the traceback of a user's mistake: its message says all there is to say."""
    error = record.exc_info[1] if isinstance(record.exc_info, tuple) else None
    if isinstance(error, InputError):
        record.exc_info = record.exc_text = None
    return True
