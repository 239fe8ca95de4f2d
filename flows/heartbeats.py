"""Heartbeats of flow runs that do not delay their end.

Prefect's own thread for heartbeats sleeps for a second at a time, and each run waits for it at its end. An
experiment has a subflow for each curve, so it would wait once per curve. Here the thread ends with the run.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from functools import wraps
from threading import Event, Thread
from typing import ParamSpec, TypeVar

from prefect.events import emit_event
from prefect.runtime import flow_run
from prefect.settings import PREFECT_FLOWS_HEARTBEAT_FREQUENCY, temporary_settings

P = ParamSpec("P")
R = TypeVar("R")
_seconds: ContextVar[int | None] = ContextVar("seconds between two heartbeats", default=None)


@contextmanager
def own_heartbeats() -> Iterator[None]:
    """Make flows that start in this block send heartbeats through `heartbeats`, as often as Prefect would."""
    token = _seconds.set(PREFECT_FLOWS_HEARTBEAT_FREQUENCY.value() or _seconds.get())
    try:
        with temporary_settings({PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None}):
            yield
    finally:
        _seconds.reset(token)


def heartbeats(function: Callable[P, R]) -> Callable[P, R]:
    """Wrap a flow's function so that it sends heartbeats while it runs, but only inside `own_heartbeats`.

    The wrapper holds nothing but the function, because Dask sends flows to its workers.
    """

    @wraps(function)
    def with_heartbeats(*args: P.args, **kwargs: P.kwargs) -> R:
        with sending():
            return function(*args, **kwargs)

    return with_heartbeats


@contextmanager
def sending() -> Iterator[None]:
    """Send the heartbeats of this flow run while the block runs."""
    seconds = _seconds.get()
    if seconds is None:
        yield
        return
    block_ended = Event()
    thread = Thread(target=copy_context().run, args=(_send, seconds, block_ended), daemon=True)
    thread.start()
    try:
        yield
    finally:
        block_ended.set()
        thread.join()


def _send(seconds: float, block_ended: Event) -> None:
    resource = {"prefect.resource.id": f"prefect.flow-run.{flow_run.id}", "prefect.resource.name": flow_run.name}
    emit_event("prefect.flow-run.heartbeat", resource=resource)
    while not block_ended.wait(seconds):
        emit_event("prefect.flow-run.heartbeat", resource=resource)
