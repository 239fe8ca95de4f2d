"""Encoding texts, compared with mldp-text and pypantera, which replace words one by one: processor time and latency.

python -m benchmarks.encoding glove.6B.50d.zip --words 10000 --mldp-python A/bin/python --pypantera-python B/bin/python

Each peer runs in a separate Python (`pip install mldp-text==0.1.2`, `pip install pypantera==1.0.2`), on the same
vectors, with the same words, the same law of noise (multivariate Laplace along the covariance) and the same epsilon.
"""

import json
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.machine import arguments, peak_memory, written
from nadp import Embeddings, EmbeddingSpace, read_embeddings
from nadp.files import write_embeddings
from nadp.texts import Decoder, TextEncoder

EPSILON = 10.0
TOKENS = 20
_TEXTS = 2_000
_CALLS = 300
_PEERS = Path(__file__).parent / "peers"


def main() -> None:
    """Print what was measured."""
    parser = arguments(__doc__, words=10_000)
    parser.add_argument("--mldp-python", type=Path, help="a Python with mldp-text")
    parser.add_argument("--pypantera-python", type=Path, help="a Python with pypantera")
    parser.add_argument("--mechanisms", nargs="+", default=["nadp", "mahalanobis"], help="ours; the last is compared")
    parser.add_argument("--peer-words", type=int, default=200, help="how many words a peer replaces")
    given = parser.parse_args()
    embeddings = read_embeddings(given.embedding, limit=given.words)
    space = EmbeddingSpace.build(embeddings)
    words = [word for word in embeddings.words.tolist() if word.isascii() and word.isalpha()]
    words = np.random.default_rng(0).choice(words, _TEXTS * TOKENS).tolist()
    texts = [" ".join(words[i : i + TOKENS]) for i in range(0, len(words), TOKENS)]
    ours = {name: _ours(space, name, texts) for name in given.mechanisms}
    peers = _peers(given, embeddings, words[: given.peer_words])
    own = ours[given.mechanisms[-1]]
    for peer in peers.values():
        peer["cpu_of_ours_to_words"] = peer["cpu_us_a_token_to_words"] / own["cpu_us_a_token_to_words"]
        peer["our_tokens_a_second_over_its"] = own["tokens_a_second_to_words"] / peer["tokens_a_second_to_words"]
    found = {
        "embedding": given.embedding.name,
        "words": len(embeddings),
        "dimension": embeddings.dimension,
        "epsilon": EPSILON,
        "ours": ours,
        "peers": peers,
        "peak_memory_gb": round(peak_memory() / 1e9, 2),
    }
    print(json.dumps(found, indent=2))
    written(found, given.out)


def _ours(space: EmbeddingSpace, mechanism: Any, texts: list[str]) -> dict[str, float]:  # noqa: ANN401 - a literal
    """Return processor time for a token, tokens a second, and the latency of one text."""
    encoder = TextEncoder.build(space, epsilon=EPSILON, mechanism=mechanism)
    decoder = Decoder(encoder, "nearest")

    def to_words(some: list[str]) -> None:
        decoder.words(encoder.encode(some))

    to_words(texts[:2])  # compiles the kernels first
    vectors, words = _spent(lambda: encoder.encode(texts)), _spent(lambda: to_words(texts))
    tokens = encoder.encode(texts).starts[-1]
    return {
        "cpu_us_a_token_to_vectors": 1e6 * vectors[0] / tokens,
        "cpu_us_a_token_to_words": 1e6 * words[0] / tokens,
        "tokens_a_second_to_vectors": tokens / vectors[1],
        "tokens_a_second_to_words": tokens / words[1],
        "median_ms_of_a_text_to_vectors": _latency(lambda: encoder.encode(texts[:1])),
        "median_ms_of_a_text_to_words": _latency(lambda: to_words(texts[:1])),
    }


def _spent(work: Callable[[], object]) -> tuple[float, float]:
    """Return processor and wall seconds."""
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    return time.process_time() - cpu, time.perf_counter() - wall


def _latency(work: Callable[[], object]) -> float:
    """Return the median of many calls in milliseconds."""
    return 1000 * statistics.median(_spent(work)[1] for _ in range(_CALLS))


def _peers(given: Any, embeddings: Embeddings, words: list[str]) -> dict[str, dict[str, float]]:  # noqa: ANN401
    """Return the processor time for a word, for each peer whose Python was given."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "words.txt").write_text("\n".join(words), encoding="utf-8")
        write_embeddings(place / "vectors.txt", embeddings, "glove")
        write_embeddings(place / "vectors.w2v.txt", embeddings, "word2vec")
        for name, python, script, vectors in (
            ("mldp-text", given.mldp_python, "mldp_text_words.py", "vectors.w2v.txt"),
            ("pypantera", given.pypantera_python, "pypantera_words.py", "vectors.txt"),
        ):
            if python is not None:
                command = [python.absolute(), _PEERS / script, place / vectors, place / "words.txt", "mahalanobis"]
                spent = _peer([*map(str, command), str(EPSILON)])
                found[name] = {
                    "cpu_us_a_token_to_words": 1e6 * spent["cpu"] / len(words),
                    "tokens_a_second_to_words": len(words) / spent["wall"],
                }
    return found


def _peer(command: list[str]) -> dict[str, float]:
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ | threads)  # noqa: S603
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])["seconds"]
    return found


if __name__ == "__main__":
    main()
