"""Noise for publication, compared with OpenDP's vector Gaussian and diffprivlib's scalar Gaussian on the same vectors.

python -m benchmarks.release en.explosion.300d.20k.zip --words 73404 --large 1000000 --out release.json

The peers are measured on some of the words; their time for all is extrapolated in proportion. diffprivlib does not load
with recent versions of scikit-learn; it is then left out with a message. Ours is also measured on a million words
with given neighbourhoods, to check that its time is proportional to their number.
"""

import time
from collections.abc import Callable

import numpy as np
import opendp.prelude as dp

from benchmarks.machine import arguments, peak_memory, written
from nadp import read_embeddings
from nadp.noise.grid import grid_of, noisy_table

_PEER_NUMBERS = 30_000
LIMIT = 10.0  # seconds for 73,404 x 300


def main() -> None:
    """Measure and print the results."""
    parser = arguments(__doc__)
    parser.add_argument("--large", type=int, default=1_000_000)
    given = parser.parse_args()
    real = read_embeddings(given.embedding).vectors
    vectors = np.resize(real, (given.words, real.shape[1]))
    scale = np.geomspace(1, 30, len(vectors))
    grid = grid_of(scale)
    ours = _seconds(lambda: noisy_table(vectors, scale, grid))
    share = vectors.size / _PEER_NUMBERS
    few = vectors.ravel()[:_PEER_NUMBERS].astype(np.float64).tolist()
    peers = {name: share * _seconds(lambda made=made: made(few)) for name, made in _peers().items()}
    large = np.resize(real, (given.large, real.shape[1]))
    before = peak_memory()
    many = _seconds(lambda: noisy_table(large, np.resize(scale, len(large)), grid))
    result = {
        "words": len(vectors),
        "dimension": vectors.shape[1],
        "seconds": {"ours": ours, **peers},
        "of_the_limit": ours / LIMIT,
        "times_faster": {name: seconds / ours for name, seconds in peers.items()},
        "large_words": len(large),
        "large_seconds": many,
        "large_per_word_over_small_per_word": many / len(large) / (ours / len(vectors)),
        "large_memory_over_kept_vectors": (peak_memory() - before) / large.nbytes,
    }
    print(result)
    written(result, given.out)


def _peers() -> dict[str, Callable[[list[float]], object]]:
    """Return the peers that can be loaded: each adds Gaussian noise of standard deviation 5 to numbers."""
    dp.enable_features("contrib")
    domain = dp.vector_domain(dp.atom_domain(T=float, nan=False))
    found: dict[str, Callable[[list[float]], object]] = {
        "opendp": dp.m.make_gaussian(domain, dp.l2_distance(T=float), scale=5.0)
    }
    try:
        from diffprivlib.mechanisms import GaussianAnalytic  # noqa: PLC0415 - may not load
    except ImportError as error:
        print(f"diffprivlib is left out: {error}")
    else:
        mechanism = GaussianAnalytic(epsilon=1.0, delta=1e-6, sensitivity=1.0)
        found["diffprivlib"] = lambda numbers: [mechanism.randomise(number) for number in numbers]
    return found


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
