"""A coverage-guided fuzzer for the readers: `python -m tests.fuzz TARGET --seconds 600`, quicker with TMPDIR=/dev/shm.

It needs atheris, which runs in an environment of its own. Compiled loops run as Python here, so that their branches
count. The folder `--found` keeps the corpus, with which the next run goes on, and a file for each error, for each that
takes over a minute, and for over 2 GB.
"""

import argparse
import os
import sys
import tempfile
import time
import traceback
from pathlib import Path

os.environ["NUMBA_DISABLE_JIT"] = "1"  # before nadp is imported

import atheris

with atheris.instrument_imports(include=["nadp", "zipfile", "gzip", "csv", "json", "tomllib"]):
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
    corpus = found / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        path, seeds = Path(folder, target.name), Path(folder, "seeds")
        seeds.mkdir()
        target.seeds(seeds)
        tried, known = 0, set[tuple[type, int]]()

        def one(content: bytes) -> None:
            nonlocal tried
            if time.process_time() > given.seconds:
                sys.stderr.write(f"{given.target}: {tried} files in {time.process_time():.0f} s of processor time\n")
                os._exit(bool(known))  # the fuzzer has no end of its own but one by the clock
            tried += 1
            path.write_bytes(content)
            try:
                target.read(path)
            except InputError:
                pass
            except Exception as error:  # noqa: BLE001 - any but InputError is a finding; it is kept, and fuzzing goes on
                where = traceback.extract_tb(error.__traceback__)[-1]
                if (type(error), where.lineno or 0) not in known:
                    known.add((type(error), where.lineno or 0))
                    (found / f"{type(error).__name__}-{where.lineno}").write_bytes(content)
                    traceback.print_exc()
            finally:
                if given.target == "ledger":  # the next one must not find what SQLite left beside it
                    for left in path.parent.glob(f"{path.name}-*"):
                        left.unlink()

        # 8 kB may unpack to 1.6 MB without being a bomb. Loops in Python take eight seconds for it, and more under load
        options = ["-max_len=8192", "-timeout=60", "-report_slow_units=60", "-rss_limit_mb=2048"]
        options.append(f"-artifact_prefix={found}/")
        atheris.Setup([sys.argv[0], *options, str(corpus), str(seeds)], one)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
