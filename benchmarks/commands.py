"""How soon the commands answer, compared with a flow of three empty tasks on Prefect's own temporary server.

python -m benchmarks.commands --out benchmarks/results/commands.json

All run in turn, in fresh processes, several times; the medians count. A server that runs has served one run before.
The limits are shares of the peer's time, since they were set on a machine on which it takes 11 s: help and a refused
parameter within 2 s, the first demo within 40 s (its kernels are compiled), a cached one within 6 s more than the peer,
and within 7 s where a server runs.
"""

import argparse
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.machine import written

ROOT = Path(__file__).parents[1]
PEER = """
from prefect import flow, task

@task
def same(x):
    return x

@flow
def three():
    return same(same(same(0)))

three()
"""
PEER_SECONDS = 11.0  # where the limits were set
LIMITS = {
    "help": 2.0,
    "a wrong parameter": 2.0,
    "first demo": 40.0,
    "cached demo": PEER_SECONDS + 6.0,
    "cached demo, server runs": 7.0,
}
_START = 120  # seconds that a server may take to start


def main() -> None:
    """Measure and print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=3, help="how often")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        seconds = _measured(Path(folder), given.times)
    peer = median(seconds.pop("peer"))
    commands = [_row(name, median(times), peer) for name, times in seconds.items()]
    for row in commands:
        print(row)
    written({"peer_seconds": peer, "commands": commands}, given.out)


def _row(name: str, seconds: float, peer: float) -> dict[str, Any]:
    limit = LIMITS[name] / PEER_SECONDS
    return {
        "": name,
        "seconds": seconds,
        "of_the_peer": seconds / peer,
        "limit_of_the_peer": limit,
        "of_the_limit": seconds / peer / limit,
    }


def _measured(folder: Path, times: int) -> dict[str, list[float]]:
    """Return the seconds of each command, and of the peer, in every round."""
    peer = folder / "peer.py"
    peer.write_text(PEER, encoding="utf-8")
    own_server = {"PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": str(_START), "DO_NOT_TRACK": "1"}
    peers_home, experiment = {"PREFECT_HOME": str(folder / "peer")} | own_server, ["-m", "flows.experiment"]
    _seconds([str(peer)], folder, peers_home)  # creates its database
    _seconds(experiment, ROOT, _homes(folder / "compiling"))
    found: dict[str, list[float]] = {name: [] for name in ("peer", *LIMITS)}

    def measure(name: str, *how: Any, code: int = 0) -> None:  # noqa: ANN401 - as _seconds
        found[name].append(_seconds(*how, code=code))
        print(f"{name}: {found[name][-1]:.1f} s", flush=True)

    for i in range(times):
        own = _homes(folder / str(i))
        measure("peer", [str(peer)], folder, peers_home)
        measure("help", [*experiment, "--help"], ROOT, own)
        measure("a wrong parameter", [*experiment, "--epsilons", "-1"], ROOT, own, code=2)
        measure("first demo", experiment, ROOT, own)
        measure("cached demo", experiment, ROOT, own)
    with _server(own) as url:
        with_server = own | {"PREFECT_API_URL": url}
        _seconds(experiment, ROOT, with_server)  # a server imports some modules when they are first needed
        for _ in range(times):
            measure("cached demo, server runs", experiment, ROOT, with_server)
    return found


def _homes(folder: Path) -> dict[str, str]:
    names = ("NADP_HOME", "PREFECT_HOME", "NADP_OUT")
    return {name: str(folder / name) for name in names}


def _seconds(command: list[str], folder: Path, env: dict[str, str], *, code: int = 0) -> float:
    """Return the wall time of a Python process that has to end with an exit code."""
    out = ["--out", env["NADP_OUT"]] if command[-1] == "flows.experiment" else []
    start = time.perf_counter()
    done = subprocess.run(  # noqa: S603 - this very interpreter
        [sys.executable, *command, *out], cwd=folder, env=_environment(env), capture_output=True, text=True, check=False
    )
    seconds = time.perf_counter() - start
    if done.returncode != code:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return seconds


def _environment(more: dict[str, str]) -> dict[str, str]:
    """Return an environment without the user's settings of Prefect."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")} | more


@contextmanager
def _server(env: dict[str, str]) -> Iterator[str]:
    """Yield the address of a server that runs."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "prefect", "server", "start", "--no-ui", "--port", str(port)]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, cwd=ROOT, env=_environment(env), **quiet) as running:  # noqa: S603 - as above
        try:
            _await(f"http://127.0.0.1:{port}/api/health")
            yield f"http://127.0.0.1:{port}/api"
        finally:
            running.terminate()


def _await(url: str) -> None:
    """Wait until an address answers, and a few seconds more, while the server's services start."""
    end = time.monotonic() + _START
    while True:
        try:
            with urllib.request.urlopen(url, timeout=5.0):  # noqa: S310 - of this machine
                break
        except (urllib.error.URLError, ConnectionError):
            if time.monotonic() > end:
                raise
            time.sleep(0.5)
    time.sleep(5.0)


if __name__ == "__main__":
    main()
