"""The same experiment on threads and on a local Dask cluster: wall time, processor time, and whether the scores agree.

python -m benchmarks.runners glove.6B.100d.zip benchmarks-folder --out runners.json

Each run is the command `flows.experiment` with nothing in its cache. Processor time is the total of all its
processes: the flow, the workers, and the Prefect server that is started for it. Other work on the machine makes wall
times grow.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.machine import arguments, written

RUNNERS = ("threads", "dask")


def main() -> None:
    """Run the demo and a heavier experiment with each runner, and print the results."""
    parser = arguments(__doc__, words=20_000)
    parser.add_argument("benchmarks_dir", type=Path)
    parser.add_argument("--only", choices=["demo", "heavy"])
    given = parser.parse_args()
    found = {}
    for name, options in _experiments(given).items():
        runs = {runner: _run([*options, "--runner", runner]) for runner in RUNNERS}
        same = runs["threads"].pop("scores") == runs["dask"].pop("scores")
        for runner, run in runs.items():
            found[f"{name}, {runner}"] = run | {"scores agree": same}
            print(name, runner, run, "scores agree:", same, flush=True)
    written({"embedding of the heavy run": given.embedding.name, "words": given.words, "runs": found}, given.out)


def _experiments(given: argparse.Namespace) -> dict[str, list[str]]:
    """Return the options of each experiment."""
    local = ["--benchmarks-dir", str(given.benchmarks_dir.absolute())]
    heavy = ["--embedding", str(given.embedding.absolute()), "--words", str(given.words), "--search", "exact"]
    heavy += ["--isolated", "nearest", "--epsilons", *map(str, range(8, 41, 8)), "--repeats", "2"]
    experiments = {"demo": local, "heavy": [*heavy, *local]}
    return {given.only: experiments[given.only]} if given.only else experiments


def _run(options: list[str]) -> dict[str, Any]:
    """Return the cost of one run, and its scores."""
    with tempfile.TemporaryDirectory() as folder:
        own = os.environ | {"NADP_HOME": f"{folder}/nadp", "PREFECT_HOME": f"{folder}/prefect"}
        own |= {"PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "120"}
        command = [sys.executable, "-m", "flows.experiment", *options, "--out", f"{folder}/out"]
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(command, check=True, env=own, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603
        after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - start
        return {
            "wall seconds": round(wall, 1),
            "processor seconds": round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 1),
            "scores": Path(folder, "out", "scores.csv").read_bytes(),
        }


if __name__ == "__main__":
    main()
