"""The overhead of Prefect: an experiment as a flow, compared with the same functions called in turn.

python -m benchmarks.overhead glove.6B.100d.zip benchmarks-folder --words 73404 --out overhead.json

Two experiments: the demo's whole run on the included sample, and one curve with five noise scales and two repeats on
many words. Each is run both ways in separate processes with an empty cache, on the same number of threads, so that
both load compiled code and read benchmarks. The clock starts when all modules are imported, and the temporary
server's start, which a running server does not need, is reported separately. Processor time is the time of the process
and of the server that it starts, including the time after the clock has stopped.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.machine import arguments, written

ONE_CURVE: dict[str, Any] = {
    "mechanisms": ["nadp"],
    "isolated": ["nearest"],
    "epsilons": [1.0, 5.0, 10.0, 20.0, 40.0],
    "repeats": 2,
    "search": "exact",
}


def main() -> None:
    """Measure and print the results."""
    parser = arguments(__doc__)
    parser.add_argument("benchmarks", type=Path)
    parser.add_argument("--times", type=int, default=2, help="how often; the smallest figures count")
    parser.add_argument("--run", choices=("flow", "plain"), help=argparse.SUPPRESS)
    parser.add_argument("--given", type=json.loads, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.run:
        print(json.dumps(_flow(given.given) if given.run == "flow" else _plain(given.given)))
        return
    folder = {"benchmarks_dir": str(given.benchmarks)}
    _both(folder | ONE_CURVE | {"words": 500})  # compiles what is not yet compiled
    large = folder | ONE_CURVE | {"words": given.words, "embedding": str(given.embedding.absolute())}
    runs = {
        "demo": _both(folder, given.times),
        f"one curve, {given.words:,} words": _both(large, given.times),
    }
    written({"large": given.embedding.name, "runs": runs}, given.out)


def _both(parameters: dict[str, Any], times: int = 1) -> dict[str, Any]:
    """Return the cost of an experiment both ways: the smallest figures of several alternating runs."""
    flows, plains = zip(*[[_measured(way, parameters) for way in ("flow", "plain")] for _ in range(times)], strict=True)
    flow, plain = _smallest(flows), _smallest(plains)
    found = {
        "task_runs": flow["task_runs"],
        "flow_s": flow["seconds"],
        "without_prefect_s": plain["seconds"],
        "share_of_prefect": 1 - plain["seconds"] / flow["seconds"],
        "flow_processor_s": flow["processor"],
        "without_prefect_processor_s": plain["processor"],
        "share_of_processor": 1 - plain["processor"] / flow["processor"],
        "start_of_server_s": flow["server"],
        "same_scores": flow["scores"] == plain["scores"],
    }
    print(found, flush=True)
    return found


def _smallest(runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {name: min(run[name] for run in runs) for name in runs[0]}


def _measured(way: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """Run an experiment in a separate process with empty caches."""
    with tempfile.TemporaryDirectory() as folder:
        places = {"NADP_HOME": f"{folder}/nadp", "PREFECT_HOME": f"{folder}/prefect", "HF_HUB_OFFLINE": "1"}
        given = json.dumps({"preset": "demo"} | parameters | {"out": f"{folder}/out"})
        command = [sys.executable, "-m", "benchmarks.overhead", ".", ".", "--run", way, "--given", given]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True, env=os.environ | places)  # noqa: S603
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        scores = Path(folder, "out", "scores.csv").read_bytes()
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1]) | {"scores": scores}
    whole = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return found | {"processor": whole - found["processor_before"]}


def _flow(parameters: dict[str, Any]) -> dict[str, Any]:
    """Run an experiment as a flow, after a run that only plans and so starts the server."""
    from flows.experiment import experiment  # noqa: PLC0415 - slow to import

    start = time.perf_counter()
    experiment(plan=True, return_state=True)
    server, before = time.perf_counter() - start, _processor()
    start = time.perf_counter()
    state: Any = experiment(**parameters, return_state=True)
    seconds = time.perf_counter() - start
    if not state.is_completed():
        raise SystemExit(state.message)
    runs = int(state.message.partition(" task runs")[0].split()[-1])
    return {"seconds": seconds, "server": server, "task_runs": runs, "processor_before": before}


def _plain(parameters: dict[str, Any]) -> dict[str, Any]:
    """Run the same functions without Prefect."""
    from benchmarks.without_prefect import experiment  # noqa: PLC0415 - slow to import

    before, start = _processor(), time.perf_counter()
    experiment(parameters)
    return {"seconds": time.perf_counter() - start, "processor_before": before}


def _processor() -> float:
    """Return the processor time of this process and of its children that are still running."""
    total = time.process_time()
    for listed in Path("/proc/self/task").glob("*/children"):
        for child in listed.read_text().split():
            fields = Path("/proc", child, "stat").read_text().rpartition(")")[2].split()
            total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return total


if __name__ == "__main__":
    main()
