"""Exact nearest neighbours, compared with the bare matrix product, scikit-learn's brute force and faiss' flat index.

python -m benchmarks.neighbours en.explosion.300d.20k.zip --words 73404 --out neighbours.json

All four get the same vectors and the same threads. The lists of the three searches are compared, too.
"""

import faiss
import numpy as np
from sklearn.neighbors import NearestNeighbors

from benchmarks.machine import Clock, arguments, peak_memory, written
from benchmarks.vectors import grown
from nadp.runtime.parallel import cores
from nadp.search.exact import exact_neighbours

LISTS = 10
_BLOCK = 1024


def main() -> None:
    """Measure and print the results."""
    given = arguments(__doc__).parse_args()
    points = grown(given.embedding, given.words).points.vectors
    exact_neighbours(points[:500], LISTS)  # compiles
    faiss.omp_set_num_threads(cores())
    clock = Clock()
    with clock.of("product"):
        for start in range(0, len(points), _BLOCK):
            _ = points[start : start + _BLOCK] @ points.T
    with clock.of("ours"):
        ours, _ = exact_neighbours(points, LISTS)
    memory = peak_memory()
    with clock.of("faiss"):
        index = faiss.IndexFlatL2(points.shape[1])
        index.add(points)
        _, theirs = index.search(points, LISTS)
    with clock.of("scikit-learn"):
        brute = NearestNeighbors(n_neighbors=LISTS, algorithm="brute").fit(points)
        slow = brute.kneighbors(points, return_distance=False)
    took = clock.seconds
    result = {
        "words": len(points),
        "dimension": points.shape[1],
        "seconds": took,
        "times_the_product": took["ours"] / took["product"],
        "faster_than_faiss": took["faiss"] / took["ours"],
        "faster_than_scikit_learn": took["scikit-learn"] / took["ours"],
        "agreement_with_faiss": _agreement(ours, theirs),
        "agreement_with_scikit_learn": _agreement(ours, slow),
        "peak_memory_gb": memory / 1e9,
    }
    print({name: round(value, 4) for name, value in result.items() if isinstance(value, float)})
    written(result, given.out)


def _agreement(one: np.ndarray, other: np.ndarray) -> float:
    """Return the share of equal entries; their order in a list does not matter."""
    return float(np.mean([len(np.intersect1d(a, b)) / LISTS for a, b in zip(one[::50], other[::50], strict=True)]))


if __name__ == "__main__":
    main()
