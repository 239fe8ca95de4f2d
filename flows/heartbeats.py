"""Heartbeats of flow runs that do not delay their end.

Prefect's own thread for heartbeats sleeps a second at a time, and a run waits for it at its end. An experiment has a
subflow for each curve, so it would wait as many times. Here the thread ends with the run.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from threading import Event, Thread

from prefect.events import emit_event
from prefect.runtime import flow_run
from prefect.settings import PREFECT_FLOWS_HEARTBEAT_FREQUENCY, temporary_settings

_seconds: ContextVar[int | None] = ContextVar("seconds between two heartbeats", default=None)


@contextmanager
def own_heartbeats() -> Iterator[None]:
    """Let the flows that start in this block send heartbeats with `heartbeats`, as often as Prefect would."""
    before = _seconds.set(PREFECT_FLOWS_HEARTBEAT_FREQUENCY.value() or _seconds.get())
    try:
        with temporary_settings({PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None}):
            yield
    finally:
        _seconds.reset(before)


@contextmanager
def heartbeats() -> Iterator[None]:
    """Send the heartbeats of this flow run while the block runs; none outside `own_heartbeats`."""
    seconds = _seconds.get()
    if seconds is None:
        yield
        return
    ended = Event()
    thread = Thread(target=copy_context().run, args=(_send, seconds, ended), daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _send(seconds: float, ended: Event) -> None:
    resource = {"prefect.resource.id": f"prefect.flow-run.{flow_run.id}", "prefect.resource.name": flow_run.name}
    emit_event("prefect.flow-run.heartbeat", resource=resource)
    while not ended.wait(seconds):
        emit_event("prefect.flow-run.heartbeat", resource=resource)
