"""Shared parts of all benchmarks: a description of the machine, a clock, and one JSON file for the result."""

import argparse
import json
import os
import platform
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any


def machine() -> dict[str, Any]:
    """Return the facts on which the figures depend: processor, cores, memory, versions."""
    cpu = Path("/proc/cpuinfo")
    names = [line.split(":")[1].strip() for line in cpu.read_text().splitlines() if line.startswith("model name")]
    pages = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "processor": names[0] if names else platform.processor(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_gb": round(pages / 1e9, 1),
        "load_average": round(os.getloadavg()[0], 1),
        "python": platform.python_version(),
        **{name: version(name) for name in ("numpy", "scipy", "numba")},
    }


def arguments(about: str | None, words: int = 73_404) -> argparse.ArgumentParser:
    """Return a parser for the arguments of most benchmarks: an embedding, the number of words, the result's file."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("embedding", type=Path)
    parser.add_argument("--words", type=int, default=words)
    parser.add_argument("--out", type=Path)
    return parser


class Clock:
    """Seconds of wall time by name.

    Attributes:
        seconds: measured so far.
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def of(self, name: str) -> Iterator[None]:
        """Measure a block."""
        start = time.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start
        print(f"{name}: {self.seconds[name]:.2f} s", flush=True)


def peak_memory() -> int:
    """Return the peak memory of this process, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def written(found: dict[str, Any], out: Path | None) -> None:
    """Write the results to a file, if one was given."""
    if out is not None:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(json.dumps({"machine": machine(), **found}, indent=2) + "\n", encoding="utf-8")
