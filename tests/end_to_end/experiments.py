"""Experiments as users run them, and what they leave behind."""

import json
import re
import subprocess
import sys
from contextlib import suppress

from tests.end_to_end.running import CHECKOUT, PATIENCE, run_cli, until

ENDED = ("COMPLETED", "FAILED", "CRASHED", "CANCELLED")


def started(server, parameters, *words, deployment="experiment/demo"):
    """The end of `prefect deployment run`, and the id of the flow run that it made (None if it made none)."""
    done = run_cli(server, "deployment", "run", deployment, "--params", json.dumps(parameters), *words)
    made = re.search(r"UUID: (\S+)", done.stdout)
    return done, made and made[1]


def counted(message):
    """How many task runs were taken from the cache, and how many there were."""
    *_, last = re.findall(r"(\d+) of (\d+) task runs taken from the cache", message)  # a log tells its curves' before
    return tuple(map(int, last))


def all_recorded(server, run_id):
    """How an experiment, its curves and all of their task runs ended, once all of them are recorded."""
    run, curves = server.run(run_id), server.curves(run_id)
    parts, expected = [run_id, *(curve["id"] for curve in curves)], counted(run["state"]["message"])[1] + 1

    def ended():
        tasks = server.task_runs(*parts)
        return len(tasks) == expected and all(one["state"]["type"] in ENDED for one in tasks) and tasks

    tasks = until(ended, "all, and the report, are recorded with their ends")  # seconds later: see prefect.toml
    return {one["state"]["type"] for one in (run, *curves, *tasks)}


def command(parameters):
    """An experiment as a command."""
    words = []
    for name, value in parameters.items():
        words += [f"--{name.replace('_', '-')}", *map(str, value if isinstance(value, list) else [value])]
    return [sys.executable, "-m", "flows.experiment", *words]


def of_its_own(server, home):
    """The environment of a process with a cache of its own."""
    return server.env | {"NADP_HOME": str(home / "nadp")}


def run_again(server, parameters, home):
    """Run an experiment as a command to its end and return its last message."""
    words = command(parameters | {"out": str(home / "out")})
    env = of_its_own(server, home)
    done = subprocess.run(words, cwd=CHECKOUT, env=env, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1]


def finished(home):
    """How many results are written down, whole."""
    count = 0
    for record in (home / "nadp" / "results").glob("*"):
        with suppress(ValueError, KeyError):
            count += bool(json.loads(record.read_text())["result"])
    return count


def temporary(*folders):
    """Files that only lie there while something is written, or held."""
    return [path for folder in folders for kind in (".*", "*.lock", "*.part") for path in folder.rglob(kind)]
