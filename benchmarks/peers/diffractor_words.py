"""dp-diffractor replacing words one by one: words and processor seconds as JSON, in a separate Python.

python diffractor_words.py VECTORS.w2v.txt WORDS.txt MECHANISM EPSILON

Its lists are made from the given vectors; stop words are replaced as well. Its constructor would load a list of stop
words from the network, so its own worker is set up and called here directly.
"""

import json
import sys
import time
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np
from diffractor import DiffractorConfig, core
from diffractor.utils import EmbeddingManager


def main() -> None:
    """Print what came out."""
    vectors, words, mechanism, epsilon = sys.argv[1:]
    with redirect_stdout(sys.stderr):
        made = EmbeddingManager([vectors])
    core._RESOURCES = {  # noqa: SLF001
        "list": made.lists[0],
        "mapping": made.word_to_idx[0],
        "config": DiffractorConfig(method=mechanism, epsilon=float(epsilon), replace_stopwords=True),
        "rng": np.random.default_rng(),
    }
    given = Path(words).read_text(encoding="utf-8").split("\n")
    start, began = time.process_time(), time.perf_counter()
    found = [core.apply_privacy_mechanism(word, float(epsilon)) for word in given]
    spent = {"cpu": time.process_time() - start, "wall": time.perf_counter() - began}
    print(json.dumps({"seconds": spent, "words": found}))


if __name__ == "__main__":
    main()
