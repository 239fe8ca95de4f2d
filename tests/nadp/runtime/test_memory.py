"""A process with little address space is refused with one line, before a library could end it without one."""

import ctypes
import os
import resource
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from nadp.runtime import memory
from nadp.runtime.memory import address_space_needed, give_back

CHECKOUT = Path(__file__).parents[3]
MB = 10**6
FLOW = ["flows.release", "--embedding", "sample", "--epsilon", "1", "--out", "private.txt"]
CALIBRATE = ["nadp.cli", "calibrate", "--epsilon", "1", "--delta", ".1"]


@pytest.fixture
def limited(monkeypatch):
    """Set a limit, and the machine's number of cores."""

    def limit(size, cores=1):
        monkeypatch.setattr(resource, "getrlimit", lambda _: (size, resource.RLIM_INFINITY))
        monkeypatch.setattr(memory, "processors", lambda: cores)

    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    return limit


def refused(besides=0):
    try:
        address_space_needed(besides)
    except SystemExit as end:
        return str(end.code)
    return None


def test_a_process_without_a_limit_is_not_refused(limited):
    limited(resource.RLIM_INFINITY, cores=1000)
    assert refused(10**18) is None


def test_the_line_states_limit_need_and_advice(limited):
    limited(1_000 * MB, cores=32)
    said = refused()
    assert said.startswith("error: this process may use 1,000 MB of address space (ulimit -v)")
    assert "needs at least 2,764 MB" in said
    assert said.endswith("raise the limit, or set OPENBLAS_NUM_THREADS=1")
    assert "\n" not in said


@pytest.mark.parametrize(("size", "cores"), [(100, 1), (221, 32)])
def test_fewer_threads_are_advised_only_where_they_suffice(limited, size, cores):
    limited(size * MB, cores)
    assert refused().endswith("raise the limit")


@pytest.mark.parametrize(("cores", "measured"), [(1, 203), (2, 285), (8, 777), (32, 2743), (64, 5365), (128, 5365)])
def test_each_core_needs_more_up_to_64(limited, cores, measured):
    limited((measured - 1) * MB, cores)
    assert refused()
    limited(measured * 1.1 * MB, cores)
    assert refused() is None


@pytest.mark.parametrize("name", ["OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"])
def test_fewer_threads_need_less(limited, monkeypatch, name):
    limited(500 * MB, cores=32)
    assert refused()
    for value in ("0", "many", "", "64"):
        monkeypatch.setenv(name, value)
        assert refused()
    monkeypatch.setenv(name, "2")
    assert refused() is None
    assert refused(300 * MB)


@pytest.mark.parametrize("error", [OSError, AttributeError, TypeError])
def test_a_system_that_keeps_freed_memory_is_no_error(monkeypatch, error):
    def without(_name: None) -> None:
        raise error

    monkeypatch.setattr(ctypes, "CDLL", without)
    give_back()


def run(command, size, tmp_path):
    """The exit code of a command with little address space, and the lines that it printed to standard error."""
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(CHECKOUT), "NADP_HOME": str(tmp_path), "OPENBLAS_NUM_THREADS": "1"},
        preexec_fn=partial(resource.setrlimit, resource.RLIMIT_AS, (size * MB, size * MB)),
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr.splitlines()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux keeps to this limit")
class TestProcesses:
    """With one thread, so that any machine needs the same."""

    @pytest.mark.parametrize("command", [CALIBRATE, FLOW, ["nadp.cli", "--help"]], ids=" ".join)
    def test_a_command_that_could_not_start_ends_with_one_line(self, command, tmp_path):
        code, lines = run(command, 150, tmp_path)
        assert code == 1
        assert len(lines) == 1
        assert "150 MB" in lines[0]

    def test_a_flow_needs_more_than_its_help_and_refusals(self, tmp_path):
        code, lines = run(FLOW, 500, tmp_path)
        assert code == 1
        assert len(lines) == 1
        assert lines[0].startswith("error: this process may use 500 MB")
        assert run([FLOW[0], "--help"], 500, tmp_path) == (0, [])
        assert run([*FLOW, "--words", "0"], 500, tmp_path)[0] == 2

    @pytest.mark.parametrize("command", [CALIBRATE, ["nadp.cli", "--help"]], ids=" ".join)
    def test_the_stated_need_is_enough_to_start(self, command, tmp_path):
        assert run(command, 222, tmp_path) == (0, [])
