"""The nearest words of noisy vectors, for many amounts of noise at once.

The points nearest to x + s n rank by |y|^2/2 - x.y - s n.y, so two matrix products serve every scale s.
"""

import numpy as np
import numpy.typing as npt

from nadp.embeddings import Floats
from nadp.kernels import smallest_shifted, squared_distances
from nadp.parallel import for_blocks

_SPARE = 6  # candidates beyond those asked for; float64 distances decide among them
_BLOCK_BYTES = 1 << 25


def nearest_to_noisy(
    points: Floats, vectors: Floats, draw: Floats, scales: npt.NDArray[np.float64], count: int = 10
) -> npt.NDArray[np.int32]:
    """Return the points nearest to vectors + scale * draw, by ascending distance, (s, q, count).

    Args:
        points: (p, d) the points to decode to.
        vectors: (q, d) vectors without noise.
        draw: (q, d) their base draws.
        scales: (s, q) the scale of each vector's noise, for each of s amounts.
        count: how many points, at most p.
    """
    count = min(count, len(points))
    wanted = min(count + _SPARE, len(points))
    half = (np.einsum("ij,ij->i", points, points, dtype=np.float64) / 2).astype(np.float32)
    found = np.empty((len(scales), len(vectors), count), dtype=np.int32)

    def work(block: slice) -> None:
        x, n = vectors[block], draw[block]
        own, shift = x @ points.T, n @ points.T
        candidates = np.empty((len(x), wanted), dtype=np.int64)
        squared = np.empty(candidates.shape)
        for s, scale in enumerate(scales[:, block]):
            smallest_shifted(half, own, shift, scale.astype(np.float32), candidates)
            noisy = x.astype(np.float64) + scale[:, None] * n
            squared_distances(noisy, points, candidates, squared)
            order = np.lexsort((candidates, squared))[:, :count]
            found[s, block] = np.take_along_axis(candidates, order, axis=1)

    for_blocks(work, len(vectors), max(16, _BLOCK_BYTES // (8 * len(points))))
    return found
