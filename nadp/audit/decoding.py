"""The nearest points of noisy vectors: of given ones, and of many amounts of noise at once.

The points nearest to x + s n rank by |y|^2/2 - x.y - s n.y, so two matrix products serve every scale s.
"""

import numpy as np
import numpy.typing as npt

from nadp.embeddings import Floats, Ids
from nadp.kernels import smallest, smallest_shifted, squared_distances
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
    count, wanted = min(count, len(points)), min(count + _SPARE, len(points))
    half = half_squares(points)
    found = np.empty((len(scales), len(vectors), count), dtype=np.int32)

    def work(block: slice) -> None:
        x, n = vectors[block], draw[block]
        own, shift = x @ points.T, n @ points.T
        candidates = np.empty((len(x), wanted), dtype=np.int64)
        for s, scale in enumerate(scales[:, block]):
            smallest_shifted(half, own, shift, scale.astype(np.float32), candidates)
            noisy = x.astype(np.float64) + scale[:, None] * n
            found[s, block] = by_distance(noisy, points, candidates, count)

    for_blocks(work, len(vectors), block_rows(len(points)))
    return found


def nearest_points(points: Floats, noisy: npt.NDArray[np.floating], count: int = 10) -> npt.NDArray[np.int32]:
    """Return the points nearest to some vectors, by ascending distance, (q, count).

    Args:
        points: (p, d) the points to decode to.
        noisy: (q, d) vectors.
        count: how many points, at most p.
    """
    count, wanted = min(count, len(points)), min(count + _SPARE, len(points))
    half = half_squares(points)
    found = np.empty((len(noisy), count), dtype=np.int32)

    def work(block: slice) -> None:
        y = noisy[block]
        candidates = np.empty((len(y), wanted), dtype=np.int64)
        scores = half - y.astype(np.float32) @ points.T
        smallest(scores, np.full(len(y), -1), candidates, np.empty(len(y), dtype=np.float32))
        found[block] = by_distance(y, points, candidates, count)

    for_blocks(work, len(noisy), block_rows(len(points)))
    return found


def true_ranks(points: Floats, noisy: npt.NDArray[np.floating], truth: Ids) -> npt.NDArray[np.int64]:
    """Return the rank of the right point by distance from each noisy vector, (q,), 1 for the nearest.

    Args:
        points: (p, d) the points to decode to.
        noisy: (q, d) vectors.
        truth: (q,) the right points.
    """
    half = half_squares(points)
    ranks = np.empty(len(noisy), dtype=np.int64)

    def work(block: slice) -> None:
        scores = half - noisy[block].astype(np.float32) @ points.T
        own = np.take_along_axis(scores, truth[block, None], axis=1)
        ranks[block] = 1 + (scores < own).sum(axis=1)

    for_blocks(work, len(noisy), block_rows(len(points)))
    return ranks


def half_squares(points: Floats) -> Floats:
    """Return half the squared norm of each point, (p,)."""
    return (np.einsum("ij,ij->i", points, points, dtype=np.float64) / 2).astype(np.float32)


def block_rows(columns: int) -> int:
    """Return how many rows of a table of scores with so many columns are worked on at a time."""
    return max(16, _BLOCK_BYTES // (8 * columns))


def by_distance(noisy: npt.NDArray[np.floating], points: Floats, candidates: Ids, count: int) -> npt.NDArray[np.int64]:
    """Return the `count` nearest of some candidates (q, c) to each vector, by float64 distance, ties by point."""
    squared = np.empty(candidates.shape)
    squared_distances(noisy, points, candidates, squared)
    order = np.lexsort((candidates, squared))[:, :count]
    return np.take_along_axis(candidates, order, axis=1)
