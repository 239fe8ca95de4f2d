"""mldp-text replacing words one by one: words and processor seconds as JSON, for benchmarks.encoding in its own Python.

python mldp_text_words.py VECTORS.w2v.txt WORDS.txt MECHANISM EPSILON
"""

import json
import sys
import time
from pathlib import Path

import mldp_text
import mldp_text.utils


def main() -> None:
    """Print what came out."""
    vectors, words, mechanism, epsilon = sys.argv[1:]
    table = mldp_text.utils.validate_and_load_embeddings(vectors)
    made = mldp_text.get_mechanism(
        mechanism, epsilon=float(epsilon), embedding_matrix=table, dim=table.vector_size, return_noise=False
    )
    given = Path(words).read_text(encoding="utf-8").split("\n")
    start, began = time.process_time(), time.perf_counter()
    found = [made.replace_word(word) for word in given]
    spent = {"cpu": time.process_time() - start, "wall": time.perf_counter() - began}
    print(json.dumps({"seconds": spent, "words": found}))


if __name__ == "__main__":
    main()
