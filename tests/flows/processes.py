"""Runs of the command line and Dask clusters, in processes of their own."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

from distributed import Client
from prefect.settings import PREFECT_API_URL

CHECKOUT = Path(__file__).parents[2]
PATIENCE = 600.0  # seconds, for a machine that is busy with other things


def until(condition, what):
    """Return the first value of a condition that is true."""
    end = time.monotonic() + PATIENCE
    while not (found := condition()):
        assert time.monotonic() < end, f"never came: {what}"
        time.sleep(0.05)
    return found


def environment(**changes):
    """Return the environment of a process of its own that uses this session's Prefect server."""
    return os.environ | {"PREFECT_API_URL": PREFECT_API_URL.value(), "PYTHONPATH": str(CHECKOUT)} | changes


@contextmanager
def process(*command, **changes):
    """A process that is ended with the block, if it has not ended by itself."""
    started = subprocess.Popen(
        [sys.executable, *command],
        cwd=CHECKOUT,
        env=environment(**changes),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    with started:
        try:
            yield started
        finally:
            if started.poll() is None:
                started.send_signal(signal.SIGKILL)


def cached(said):
    """Return how many task runs a run took from the cache, and how many there were."""
    return tuple(map(int, re.search(r"^completed: .*?(\d+) of (\d+) task runs", said, re.MULTILINE).groups()))


class Experiments:
    """Small experiments from the command line.

    Args:
        embedding: the file.
        benchmarks: the folder.
        names: which of them.
    """

    def __init__(self, embedding, benchmarks, names):
        self.options = ["--embedding", str(embedding), "--benchmarks-dir", str(benchmarks), "--benchmarks", *names]
        self.options += ["--words", "400", "--mechanisms", "nadp", "mahalanobis", "--taus", "0.3", "--repeats", "2"]
        self.options += ["--isolated", "nearest", "--epsilons", "1", "10"]

    def started(self, out, *options, **changes):
        """Return a run that goes on until the end of the block."""
        return process("-m", "flows.experiment", *self.options, "--out", str(out), *options, **changes)

    def done(self, out, *options, **changes):
        """Return what a run said, and its exit code."""
        with self.started(out, *options, **changes) as run:
            said, _ = run.communicate(timeout=PATIENCE)
        return said, run.returncode


class Cluster:
    """A Dask scheduler and workers of one thread, as they are started by hand.

    Args:
        folder: for its files.
        environments: what is particular to each worker.
        scheduler: what is particular to the scheduler.
    """

    def __init__(self, folder, *environments, **scheduler):
        self._file = folder / "scheduler.json"
        self._environments = environments
        self._scheduler = scheduler
        self._stack = ExitStack()
        self.workers = []

    def __enter__(self):
        where = ["--scheduler-file", str(self._file), "--host", "127.0.0.1", "--no-dashboard"]
        scheduler = self._start("-m", "distributed.cli.dask_scheduler", *where, "--port", "0", **self._scheduler)
        until(lambda: scheduler.poll() is not None or self._written(), "the scheduler")
        self.address = json.loads(self._file.read_text())["address"]
        own = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1"]
        for changes in self._environments:
            self.workers.append(self._start("-m", "distributed.cli.dask_worker", self.address, *own, **changes))
        self.client = self._stack.enter_context(Client(self.address, set_as_default=False, timeout=PATIENCE))
        self.client.wait_for_workers(len(self.workers), timeout=PATIENCE)
        return self

    def __exit__(self, *_):
        self._stack.close()

    def _written(self):
        try:
            return bool(json.loads(self._file.read_text()))
        except (FileNotFoundError, ValueError):
            return False

    def _start(self, *command, **changes):
        return self._stack.enter_context(process(*command, **changes))
