"""A coverage-guided fuzzer for the readers: `python -m tests.fuzz TARGET --seconds 600`, quicker with TMPDIR=/dev/shm.

It needs atheris, which runs in an environment of its own. Compiled loops run as Python here, so that their branches
count. What it finds is written to the folder `--found`: a file that crashes, takes over ten seconds, or over 2 GB.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

os.environ["NUMBA_DISABLE_JIT"] = "1"  # before nadp is imported

import atheris

with atheris.instrument_imports(include=["nadp", "zipfile", "gzip", "csv", "json"]):
    from tests.fuzz.targets import TARGETS

from nadp.errors import InputError


def main() -> None:
    """Fuzz one target for some seconds of processor time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--found", type=Path, default=Path("fuzz-found"))
    given = parser.parse_args()
    target, found = TARGETS[given.target], given.found / given.target
    found.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        path, seeds = Path(folder, target.name), Path(folder, "seeds")
        seeds.mkdir()
        target.seeds(seeds)

        def one(content: bytes) -> None:
            path.write_bytes(content)
            try:
                target.read(path)
            except InputError:
                pass
            finally:
                if given.target == "ledger":  # the next one must not find what SQLite left beside it
                    for left in path.parent.glob(f"{path.name}-*"):
                        left.unlink()

        options = ["-max_len=4096", "-timeout=10", "-rss_limit_mb=2048", "-print_final_stats=1"]
        atheris.Setup(
            [sys.argv[0], *options, f"-max_total_time={given.seconds}", f"-artifact_prefix={found}/", str(seeds)], one
        )
        atheris.Fuzz()


if __name__ == "__main__":
    main()
