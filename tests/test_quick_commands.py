"""Help and refusals load nothing that computes, and no server: this is what makes them quick."""

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[1]
FLOWS = [["flows.experiment"], ["flows.release"], ["flows.encode"], ["flows.audit"]]
OPERATIONS = [["nadp.cli"], *(["nadp.cli", name] for name in ("release", "encode", "audit", "calibrate"))]
HEAVY = {"numba", "pandas", "scipy.sparse", "scipy.optimize", "scipy.stats", "pyarrow", "sklearn", "matplotlib"}
HEAVY |= {"prefect", "datasets", "huggingface_hub", "fsspec", "sqlite3", "httpx"}
REFUSED = [
    ["flows.experiment", "--words", "0"],
    ["flows.experiment", "--embedding", "nowhere.txt"],
    ["flows.experiment", "--runner", "threads", "--scheduler", "tcp://192.0.2.1:8786"],
    ["flows.release", "--embedding", "nowhere.txt", "--epsilon", "1", "--out", "private.txt"],
    ["flows.encode", "--texts", "nowhere.txt", "--embedding", "sample", "--epsilon", "1", "--out", "encoded"],
    ["flows.audit", "--original", "sample", "--released", "x.txt", "--draws", "-1"],
    ["nadp.cli", "release", "--embedding", "sample", "--epsilon", "1", "--out", "private.unknown"],
    ["nadp.cli", "release", "--embedding", "sample", "--mechanism", "groups", "--epsilon", "1", "--out", "x.txt"],
    ["nadp.cli", "encode", "--texts", "nowhere.txt", "--embedding", "sample", "--epsilon", "1", "--out", "encoded"],
    ["nadp.cli", "audit", "--original", "sample"],
    ["nadp.cli", "calibrate", "--epsilon", "-1", "--delta", ".1"],
    ["flows.experiment", "--mechanisms", "laplacian", "--epsilons", "0"],
    ["flows.experiment", "--task", "nowhere.toml"],
    ["flows.audit", "--original", "sample", "--released", "sample", "--mechanism", "nadp"],
    ["nadp.cli", "audit", "--original", "sample", "--released", "sample", "--certificate", "nowhere.json"],
    ["nadp.cli", "release", "--embedding", "sample", "--mechanism", "groups", "--min-size", "1", "--out", "x.txt"],
]


HELP = [[*command, "--help"] for command in [*FLOWS, *OPERATIONS]]


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    """A function that returns the exit code of a command, and the modules loaded by then.

    The commands of one module run in one process, one after the other, so the first that loads something heavy fails
    with all after it.
    """
    folder = tmp_path_factory.mktemp("commands")

    @cache
    def outcomes(module):
        commands = [options for first, *options in [*REFUSED, *HELP] if first == module]
        code = f"""
import contextlib, io, json, runpy, sys
ends = []
for options in {commands!r}:
    sys.argv, code = ["", *options], 0
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            runpy.run_module({module!r}, run_name="__main__")
    except SystemExit as end:
        code = end.code or 0
    ends.append([options, code, list(sys.modules)])
print(json.dumps(ends))
"""
        env = os.environ | {"PYTHONPATH": str(CHECKOUT), "NADP_HOME": str(folder / "home")}
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=folder, env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return {tuple(options): (end, set(modules)) for options, end, modules in json.loads(done.stdout)}

    return lambda module, *options: outcomes(module)[options]


@pytest.mark.parametrize("command", HELP, ids=" ".join)
def test_help_loads_nothing_heavy(command, outcome):
    code, modules = outcome(*command)
    assert code == 0
    assert not modules & HEAVY


@pytest.mark.parametrize("command", REFUSED, ids=" ".join)
def test_a_refusal_loads_nothing_heavy(command, outcome):
    code, modules = outcome(*command)
    assert code == 2
    assert not modules & HEAVY


def test_the_server_of_a_command_starts_before_prefect_is_imported():
    code = "import sys, flows.server; assert not {'prefect', 'httpx'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=CHECKOUT)
