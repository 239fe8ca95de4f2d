"""The built-in benchmarks, each declared in a TOML file of this folder, in the form of user-defined tasks.

The ids, revisions and URLs come from public pages and code; none was verified against the live Hub.
"""

import tomllib
from collections.abc import Iterator
from pathlib import Path

from nadp.utility.declaration import Benchmark
from nadp.utility.task_file import declared


def _all() -> Iterator[Benchmark]:
    for file in sorted(Path(__file__).parent.glob("*.toml")):
        yield declared(tomllib.loads(file.read_text(encoding="utf-8")), file.name)


BENCHMARKS: dict[str, Benchmark] = {benchmark.name: benchmark for benchmark in _all()}
"""The benchmarks by name. Their paths are relative to benchmarks_dir."""
