"""The points nearest to noisy vectors: for given vectors, and for many noise scales at once.

The points nearest to x + s n rank by |y|^2/2 - x.y - s n.y, so two matrix products serve every scale s.
"""

import numpy as np
import numpy.typing as npt

from nadp.embeddings import Floats, Ids
from nadp.runtime.parallel import for_blocks
from nadp.search.exact import rounding
from nadp.search.kernels import keep_smallest_shifted, nearest_by_distance, squared_distances_to_all
from nadp.search.tiles import ROWS, nothing_yet, products, smallest, tiles

_SPARE = 6  # extra candidates; float64 distances decide among them
_EXACT_RANK = 100  # ranks up to this one are decided in float64 if float32 is not precise enough
_BLOCK_BYTES = 1 << 25


def nearest_to_noisy(
    points: Floats, vectors: Floats, draw: Floats, scales: npt.NDArray[np.float64], count: int = 10
) -> npt.NDArray[np.int32]:
    """Return the points nearest to vectors + scale * draw, by ascending distance, (s, q, count).

    Args:
        points: (p, d) the points to decode to.
        vectors: (q, d) vectors without noise.
        draw: (q, d) their base draws.
        scales: (s, q) the noise scale of each vector, for each of s settings.
        count: number of points, at most p.
    """
    decoder = NearestPoints(points, count)
    nearest = np.empty((len(scales), len(vectors), decoder.count), dtype=np.int32)

    def work(block: slice) -> None:
        x, n = vectors[block], draw[block]
        candidates, best = nothing_yet(len(scales), len(x), decoder.wanted)
        clean_scores, factors = products(x, points, decoder.half), scales[:, block].astype(np.float32)
        for tile in tiles(len(points)):
            keep_smallest_shifted(clean_scores(tile), n @ points[tile].T, factors, tile.start, candidates, best)
        length = np.linalg.norm(x, axis=1), np.linalg.norm(n, axis=1)
        for s, scale in enumerate(scales[:, block]):
            noisy = x.astype(np.float64) + scale[:, None] * n
            nearest[s, block] = decoder.nearest(noisy, length[0] + scale * length[1], candidates[s], best[s, :, -1])

    for_blocks(work, len(vectors), ROWS, "decoding all noise scales")
    return nearest


def nearest_points(points: Floats, noisy: npt.NDArray[np.floating], count: int = 10) -> npt.NDArray[np.int32]:
    """Return the points nearest to some vectors, by ascending distance, (q, count).

    Args:
        points: (p, d) the points to decode to.
        noisy: (q, d) vectors.
        count: number of points, at most p.
    """
    return NearestPoints(points, count).to(noisy)


class NearestPoints:
    """Finds the nearest points of vectors: candidates by float32 products, the nearest of them by float64 distance.

    If float32 is not precise enough, it compares all points in float64.

    Args:
        points: (p, d) the points to decode to.
        count: number of points for each vector, at most p.
    """

    def __init__(self, points: Floats, count: int) -> None:
        self.points, self.count = points, min(count, len(points))
        self.half = half_squares(points)
        self.wanted = min(count + _SPARE, len(points))
        self._longest = float(np.sqrt(2 * self.half.max()))

    def to(self, noisy: npt.NDArray[np.floating]) -> npt.NDArray[np.int32]:
        """Return the points nearest to some vectors (q, d), by ascending distance, (q, count)."""
        nearest = np.empty((len(noisy), self.count), dtype=np.int32)

        def work(block: slice) -> None:
            y = noisy[block].astype(np.float64)
            scores = products(y.astype(np.float32), self.points, self.half)
            candidates, best = smallest(scores, len(self.points), np.full(len(y), -1), self.wanted)
            nearest[block] = self.nearest(y, np.linalg.norm(y, axis=1), candidates, best[:, -1])

        for_blocks(work, len(noisy), ROWS, "decoding")
        return nearest

    def nearest(
        self, noisy: npt.NDArray[np.float64], length: npt.NDArray[np.float64], candidates: Ids, worst: Floats
    ) -> Ids:
        """Return the points nearest to some vectors, (q, count).

        Args:
            noisy: (q, d) the vectors.
            length: (q,) a bound on the norms of the vectors in the product.
            candidates: (q, c) points of least score.
            worst: (q,) the largest score among the candidates.
        """
        nearest, squared = by_distance(noisy, self.points, candidates, self.count)
        slack = rounding(self.points.shape[1], length, self._longest)
        doubtful = ~((squared[:, -1] - (noisy**2).sum(axis=1)) / 2 < worst - slack)
        rows = np.flatnonzero(doubtful & (self.wanted < len(self.points)))
        for row in rows:
            nearest[row] = self._in_float64(noisy[row])
        return nearest

    def _in_float64(self, vector: npt.NDArray[np.float64]) -> Ids:
        """Return the points nearest to one vector, (count,), by float64 distances to all points."""
        squared = np.empty(len(self.points))
        squared_distances_to_all(vector, self.points, squared)
        close = np.flatnonzero(squared <= np.partition(squared, self.count - 1)[self.count - 1])
        return close[np.argsort(squared[close], kind="stable")][: self.count]


def true_ranks(points: Floats, noisy: npt.NDArray[np.floating], truth: Ids) -> npt.NDArray[np.int64]:
    """Return the rank of the right point by distance from each noisy vector, (q,), 1 for the nearest.

    Ranks up to 100 are exact; larger ones may be off by the few points whose distance is equal in float32.

    Args:
        points: (p, d) the points to decode to.
        noisy: (q, d) vectors.
        truth: (q,) the right points.
    """
    half = half_squares(points)
    longest = float(np.sqrt(2 * half.max()))
    ranks = np.empty(len(noisy), dtype=np.int64)

    def work(block: slice) -> None:
        y, right = noisy[block], truth[block]
        scores = half - y.astype(np.float32) @ points.T
        true_score = np.take_along_axis(scores, right[:, None], axis=1)
        slack = 2 * rounding(points.shape[1], np.linalg.norm(y, axis=1), longest)[:, None]
        nearer = (scores < true_score - slack).sum(axis=1)
        doubtful = (nearer < _EXACT_RANK) & ((scores < true_score + slack).sum(axis=1) - 1 != nearer)
        ranks[block] = 1 + np.where(doubtful, nearer, (scores < true_score).sum(axis=1))
        for i in np.flatnonzero(doubtful):
            near_ties = np.flatnonzero(np.abs(scores[i] - true_score[i]) <= slack[i])
            squared = ((points[near_ties].astype(np.float64) - y[i]) ** 2).sum(axis=1)
            true_squared = ((points[right[i]].astype(np.float64) - y[i]) ** 2).sum()
            ranks[block.start + i] = 1 + nearer[i] + (squared < true_squared).sum()

    for_blocks(work, len(noisy), block_rows(len(points)), "ranks")
    return ranks


def half_squares(points: Floats) -> Floats:
    """Return half the squared norm of each point, (p,)."""
    return (np.einsum("ij,ij->i", points, points, dtype=np.float64) / 2).astype(np.float32)


def block_rows(columns: int) -> int:
    """Return the number of rows per block for a table of scores with this many columns."""
    return max(16, _BLOCK_BYTES // (8 * columns))


def by_distance(
    noisy: npt.NDArray[np.floating], points: Floats, candidates: Ids, count: int
) -> tuple[Ids, npt.NDArray[np.float64]]:
    """Return the nearest of some candidates (q, c) to each vector and their squared distances, (q, count) both.

    Distances are in float64; ties are in the order of the points.
    """
    nearest, squared = np.empty((len(candidates), count), dtype=candidates.dtype), np.empty((len(candidates), count))
    nearest_by_distance(noisy, points, candidates, nearest, squared)
    return nearest, squared
