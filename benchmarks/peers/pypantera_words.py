"""pypantera replacing words: words and processor seconds as JSON, for benchmarks.encoding in its own Python.

python pypantera_words.py VECTORS.txt WORDS.txt MECHANISM EPSILON
"""

import json
import sys
import time
from pathlib import Path

from src.EmbeddingPerturbationMechanism.cmp import CMP
from src.EmbeddingPerturbationMechanism.mahalanobis import Mahalanobis

MECHANISMS = {"multivariate_calibrated": CMP, "mahalanobis": Mahalanobis}


def main() -> None:
    """Print what came out."""
    vectors, words, mechanism, epsilon = sys.argv[1:]
    made = MECHANISMS[mechanism]({"embPath": vectors, "epsilon": float(epsilon), "lam": 1, "t": 0.75})
    given = Path(words).read_text(encoding="utf-8").split("\n")
    start, began = time.process_time(), time.perf_counter()
    noisy = made.noisyEmb(given)
    found = [made.processText(noisy[i : i + 1]) for i in range(len(given))]
    spent = {"cpu": time.process_time() - start, "wall": time.perf_counter() - began}
    print(json.dumps({"seconds": spent, "words": [str(one) for one in found]}))


if __name__ == "__main__":
    main()
