"""Help and refusals load nothing that computes, and no server: this is what makes them quick."""

import json
import os
import subprocess
import sys
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


def loaded(command, tmp_path):
    """The exit code of a command in a process of its own, and the modules that it has loaded."""
    module, *options = command
    code = f"""
import json, runpy, sys
sys.argv = ["", *{options!r}]
try:
    runpy.run_module({module!r}, run_name="__main__")
    code = 0
except SystemExit as end:
    code = end.code
print("\\n" + json.dumps([code or 0, list(sys.modules)]))
"""
    env = os.environ | {"PYTHONPATH": str(CHECKOUT), "NADP_HOME": str(tmp_path / "home")}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    code, modules = json.loads(done.stdout.splitlines()[-1])
    return code, set(modules)


@pytest.mark.parametrize("command", [*FLOWS, *OPERATIONS], ids=" ".join)
def test_help_loads_nothing_heavy(command, tmp_path):
    code, modules = loaded([*command, "--help"], tmp_path)
    assert code == 0
    assert not modules & HEAVY


@pytest.mark.parametrize("command", REFUSED, ids=" ".join)
def test_a_refusal_loads_nothing_heavy(command, tmp_path):
    code, modules = loaded(command, tmp_path)
    assert code == 2
    assert not modules & HEAVY


def test_the_server_of_a_command_starts_before_prefect_is_imported():
    code = "import sys, flows.server; assert not {'prefect', 'httpx'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=CHECKOUT)
