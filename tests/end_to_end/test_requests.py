"""Nobody outside this machine is asked for anything: not by the server, a worker, a command or a run."""

import pytest

from tests.end_to_end.experiments import started
from tests.end_to_end.outside import outside, recorded
from tests.end_to_end.page import run_block
from tests.end_to_end.running import run_cli

pytestmark = pytest.mark.servers


@pytest.fixture(scope="module")
def addresses(server, worker, small, tmp_path_factory):  # noqa: ARG001 - the worker takes the run
    """All that was looked up or connected to since the server started, and so far."""
    done, _ = started(server, small | {"out": str(tmp_path_factory.mktemp("asked"))}, "--watch")
    assert done.returncode == 0, done.stdout
    assert run_block(server, "artifacts").returncode == 0
    return server.home / "addresses.jsonl"


def test_all_parts_are_looked_at(addresses):
    commands = {" ".join(command) for command, _, _ in recorded(addresses)}
    for part in ("prefect server start", "prefect worker start", "prefect --no-prompt deploy", "prefect/engine.py"):
        assert any(part in command for command in commands), part


def test_nothing_is_asked_of_anybody_outside(addresses, proxy):
    assert outside(addresses) == []
    assert proxy.asked == []


def test_what_the_server_does_ask_would_be_seen(server, addresses, proxy):  # noqa: ARG001 - after all others
    run_cli(server, "--no-prompt", "work-pool", "create", "another", "--type", "process")
    assert set(proxy.asked) == {"raw.githubusercontent.com:443"}
    proxy.asked.clear()
