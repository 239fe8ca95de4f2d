"""The time to import the library, compared with its dependencies; each in fresh processes, in turn.

python -m benchmarks.imports --out benchmarks/results/imports.json
"""

import argparse
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

from benchmarks.machine import written

TIMES = 15
MOST_SECONDS = 0.1  # of `import nadp` beyond `import numpy`
MOST_RATIO = 1.2  # of `import nadp.calibration` to its dependencies
STATEMENTS = {
    "nothing": "",
    "numpy": "import numpy",
    "numpy and nadp": "import numpy, nadp",
    "numpy and scipy.special": "import numpy, scipy.special",
    "nadp.calibration": "import nadp.calibration",
    "all names of nadp": "from nadp import *",
}


def main() -> None:
    """Measure and print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    rounds = [{name: _seconds(code) for name, code in STATEMENTS.items()} for _ in range(TIMES + 1)][1:]
    seconds = {name: median(found[name] for found in rounds) for name in STATEMENTS}
    result = {
        "seconds": seconds,
        "nadp_beyond_numpy": median(found["numpy and nadp"] - found["numpy"] for found in rounds),
        "limit_seconds": MOST_SECONDS,
        "calibration_over_scipy_special": seconds["nadp.calibration"] / seconds["numpy and scipy.special"],
        "limit_ratio": MOST_RATIO,
    }
    print(result)
    written(result, given.out)


def _seconds(code: str) -> float:
    """Return the wall time of a process that runs some code."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603 - this very interpreter
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
