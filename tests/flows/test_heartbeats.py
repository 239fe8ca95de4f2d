"""Flows send heartbeats as long as they run, and do not wait for Prefect's own thread."""

from threading import Event

import cloudpickle
import pytest
from prefect import flow
from prefect.runtime import flow_run
from prefect.settings import PREFECT_FLOWS_HEARTBEAT_FREQUENCY, temporary_settings

from flows import heartbeats as module
from flows.curve import curve_flow
from flows.heartbeats import heartbeats, own_heartbeats

pytestmark = [pytest.mark.servers, pytest.mark.usefixtures("prefect_server")]


@pytest.fixture
def sent(monkeypatch):
    """The ids of the resources of all events, and a function that waits for the second one."""
    ids, second = [], Event()

    def emit(event, resource):
        assert event == "prefect.flow-run.heartbeat"
        ids.append(resource["prefect.resource.id"])
        if len(ids) == 2:
            second.set()

    monkeypatch.setattr(module, "emit_event", emit)
    return ids, lambda: second.wait(60)


def test_a_subflow_sends_heartbeats_until_it_ends(sent):
    ids, second = sent

    @flow
    @heartbeats
    def subflow():
        assert second()
        return flow_run.id

    @flow
    def parent():
        with temporary_settings({PREFECT_FLOWS_HEARTBEAT_FREQUENCY: 30}), own_heartbeats():
            assert PREFECT_FLOWS_HEARTBEAT_FREQUENCY.value() is None  # no thread of Prefect's own
            assert module._seconds.get() == 30
            module._seconds.set(0.01)
            with own_heartbeats():
                return subflow()

    run = parent()
    count = len(ids)
    assert set(ids) == {f"prefect.flow-run.{run}"}
    Event().wait(0.1)
    assert len(ids) == count


@pytest.mark.parametrize("seconds", [30, None])
def test_a_subflow_sends_heartbeats_only_if_prefect_would(sent, seconds):
    @heartbeats
    def subflow():
        pass

    @flow
    def parent():
        with temporary_settings({PREFECT_FLOWS_HEARTBEAT_FREQUENCY: seconds}), own_heartbeats():
            subflow()

    parent()
    assert len(sent[0]) == (1 if seconds else 0)


def test_a_flow_with_heartbeats_can_be_sent_to_workers():
    copy = cloudpickle.loads(cloudpickle.dumps(curve_flow.fn))
    assert copy.__name__ == curve_flow.fn.__name__
