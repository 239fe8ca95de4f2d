"""Runs that are hit by signals, little memory, a full disk, a read-only folder or a second run, and their remains.

`python -m benchmarks.storms --flows experiment release encode --times 50`, as root on Linux (it mounts small tmpfs).
Each trial is a command that continues where the last one stopped, or starts over if the last one succeeded.
The last run of each flow is not disturbed, and its result must equal the result of an undisturbed run.
"""

import argparse
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import psutil

TABLE = ("--embedding", "sample", "--words", "300")
OPTIONS = {
    "experiment": (
        *(*TABLE, "--mechanisms", "nadp", "gaussian", "--epsilons", "5", "20", "--repeats", "2"),
        *("--isolated", "nearest", "--benchmarks", "wordsim353", "--search", "exact", "--out", "out"),
    ),
    "release": (*TABLE, "--epsilon", "1", "--out", "out/private.txt", "--ledger", "out/ledger.sqlite"),
    "encode": ("--texts", "texts.txt", *TABLE, "--epsilon", "5", "--shard-texts", "20", "--out", "out/texts"),
}
STORMS = ("SIGTERM", "SIGINT", "memory", "full disk", "read-only", "twice")
TEXTS = "".join(f"the old man number {i} and the sea\n" for i in range(200))
PATIENCE, ENDING = 600.0, 20.0  # seconds that a run may take, and that its children may outlive it


class Place:
    """A folder in which a flow runs again and again, with separate homes and temporary files."""

    def __init__(self, folder: Path, flow: str) -> None:
        self.folder, self.flow = folder, flow
        self.empty()
        homes = {"NADP_HOME": "home/nadp", "PREFECT_HOME": "home/prefect", "TMPDIR": "tmp"}
        self.environment = os.environ | {name: str(folder / home) for name, home in homes.items()}
        self.environment |= {"PYTHONPATH": str(Path.cwd()), "COLUMNS": "200"}

    def empty(self) -> None:
        """Reset the place to its state before the first run, so that the next run starts from nothing."""
        for name in ("work", "tmp", "home"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
        for name in ("work/out", "tmp", "home"):
            (self.folder / name).mkdir(parents=True)
        (self.folder / "work/texts.txt").write_text(TEXTS)

    def begin(self, memory: int | None = None) -> subprocess.Popen[str]:
        """Start the command, with a limit on its memory in bytes."""
        command = [sys.executable, "-m", f"flows.{self.flow}", *OPTIONS[self.flow]]
        return subprocess.Popen(  # noqa: S603 - nothing of the user's
            command,
            cwd=self.folder / "work",
            env=self.environment,
            start_new_session=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            preexec_fn=partial(as_in_a_terminal, memory),  # noqa: PLW1509 - there are no threads here
        )

    def left(self) -> list[str]:
        """Return files that should not remain after a run: hidden and temporary ones."""
        found = [*self.folder.glob("tmp/*"), *self.folder.rglob(".part-*"), *self.folder.rglob(".????????.*")]
        return [str(path.relative_to(self.folder)) for path in found]

    def result(self) -> str:
        """Return the flow's result, without random values and times."""
        out = self.folder / "work/out"
        if self.flow == "experiment":
            return (out / "scores.csv").read_text()
        if self.flow == "encode":
            return " ".join(sorted(path.name for path in out.glob("texts/part-*")))
        certificate = json.loads((out / "private.txt.certificate.json").read_text())
        return f"{certificate['statement']} {len((out / 'private.txt').read_text().splitlines())}"


def as_in_a_terminal(memory: int | None) -> None:
    """Let Ctrl-C reach this process, even if this benchmark runs in the background, and limit its memory."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if memory:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


def ended(run: subprocess.Popen[str]) -> tuple[int, str]:
    """Return how a run ended and its output, and check that none of its processes is left."""
    said, _ = run.communicate(timeout=PATIENCE)
    until = time.monotonic() + ENDING
    while (alive := [one for one in psutil.pids() if session(one) == run.pid]) and time.monotonic() < until:
        time.sleep(0.2)
    return run.returncode, said + (f"\nSTILL RUNNING: {alive}" if alive else "")


def session(process: int) -> int | None:
    """Return the session of a process, if there is one."""
    with suppress(ProcessLookupError):
        return os.getsid(process)
    return None


@contextmanager
def mounted(folder: Path, options: str) -> Iterator[None]:
    """Mount a file system over a folder."""
    mount = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder]
    subprocess.run(mount, check=True)  # noqa: S603
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", folder], check=True)  # noqa: S603, S607


def storm(place: Place, kind: str, length: float, rng: random.Random) -> tuple[int, str]:
    """Disturb a run, and return how it ended and its output."""
    if kind == "memory":
        return ended(place.begin(int(rng.uniform(0.3, 3) * 2**30)))
    if kind in ("full disk", "read-only"):
        where = place.folder / rng.choice(["home", "work/out"])
        with mounted(where, f"size={rng.randint(16, 2000)}k" if kind == "full disk" else "ro"):
            return ended(place.begin())
    if kind == "twice":
        runs = [place.begin(), place.begin()]
        ends = [ended(run) for run in runs]
        return max(ends, key=lambda end: abs(end[0]))
    run = place.begin()
    time.sleep(rng.uniform(0, length))
    if kind == "SIGINT":
        os.killpg(run.pid, signal.SIGINT)  # as a terminal does
    else:
        run.terminate()
    return ended(run)


def main() -> None:
    """Run the storms and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--flows", nargs="+", choices=OPTIONS, default=list(OPTIONS))
    parser.add_argument("--storms", nargs="+", choices=STORMS, default=STORMS)
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    rng = random.Random(given.seed)  # noqa: S311
    for flow in given.flows:
        with tempfile.TemporaryDirectory() as calm, tempfile.TemporaryDirectory() as wild:
            undisturbed, hit = Place(Path(calm), flow), Place(Path(wild), flow)
            begun = time.monotonic()
            print(flow, "undisturbed:", ended(undisturbed.begin())[0], flush=True)
            length = time.monotonic() - begun
            for number in range(given.times // len(given.flows)):
                kind = given.storms[number % len(given.storms)]
                code, said = storm(hit, kind, length, rng)
                lines = [line for line in said.splitlines() if line.strip()]
                traces = sum("Traceback" in line for line in lines)
                print(f"{flow} {kind}: exit {code}, {traces} tracebacks, left {hit.left()}, {lines[-1:]}", flush=True)
                if traces or "STILL" in said:
                    Path(f"storm-{flow}-{number}.log").write_text(said)
                if code == 0:
                    hit.empty()
            print(flow, "at last:", ended(hit.begin())[0], "left", hit.left(), flush=True)
            print(flow, "as if undisturbed:", hit.result() == undisturbed.result(), flush=True)


if __name__ == "__main__":
    main()
