"""Compiled inner loops of nearest-neighbour search. tests/reference.py holds the naive version of each."""

import numpy as np
from numba import njit

_STRIP = 64


@njit(nogil=True, cache=True)
def _insert(best, found, filled, score, column):
    """Insert a score into the ascending scores best[:filled], dropping the largest if there is no room."""
    at = min(filled, len(best) - 1)
    while at > 0 and best[at - 1] > score:
        best[at] = best[at - 1]
        found[at] = found[at - 1]
        at -= 1
    best[at] = score
    found[at] = column
    return min(filled + 1, len(best))


@njit(nogil=True, cache=True, fastmath={"nnan", "nsz"})
def smallest(scores, skip, found, worst):
    """Find the smallest scores of each row, ties by column.

    A strip of columns is first compared with the largest score kept so far, all at once; only a strip that holds a
    smaller one is gone through.

    Args:
        scores: (q, p) float32.
        skip: (q,) int64, one column of each row to leave out (-1: none).
        found: (q, k) int64, filled with columns in ascending order of score, -1 where there are no more finite ones.
        worst: (q,) float32, filled with the largest score found in each row.
    """
    width = scores.shape[1]
    best = np.empty(found.shape[1], dtype=np.float32)
    for row in range(len(scores)):
        filled = 0
        found[row, :] = -1
        limit = np.float32(np.inf)
        for start in range(0, width, _STRIP):
            strip = scores[row, start : start + _STRIP]
            some = False
            for j in range(len(strip)):
                some |= strip[j] < limit
            if not some:
                continue
            for j in range(len(strip)):
                if strip[j] < limit and start + j != skip[row]:
                    filled = _insert(best, found[row], filled, strip[j], start + j)
                    if filled == len(best):
                        limit = best[filled - 1]
        worst[row] = limit


@njit(nogil=True, cache=True, fastmath={"nnan", "nsz"})
def smallest_shifted(half, own, shift, scale, found, worst):
    """Find, as `smallest` does, the smallest of half - own[row] - scale[row] * shift[row] in each row.

    Args:
        half: (p,) float32.
        own: (q, p) float32.
        shift: (q, p) float32.
        scale: (q,) float32.
        found: (q, k) int64, filled as by `smallest`.
        worst: (q,) float32, filled as by `smallest`.
    """
    width = own.shape[1]
    best = np.empty(found.shape[1], dtype=np.float32)
    for row in range(len(own)):
        filled = 0
        found[row, :] = -1
        limit = np.float32(np.inf)
        factor = scale[row]
        for start in range(0, width, _STRIP):
            stop = min(start + _STRIP, width)
            base, x, n = half[start:stop], own[row, start:stop], shift[row, start:stop]
            some = False
            for j in range(len(x)):
                some |= base[j] - x[j] - factor * n[j] < limit
            if not some:
                continue
            for j in range(len(x)):
                score = base[j] - x[j] - factor * n[j]
                if score < limit:
                    filled = _insert(best, found[row], filled, score, start + j)
                    if filled == len(best):
                        limit = best[filled - 1]
        worst[row] = limit


@njit(nogil=True, cache=True)
def squared_distances(queries, points, candidates, out):
    """Fill out[i, j] with the squared distance in float64 from queries[i] to points[candidates[i, j]].

    A candidate of -1 is none: its distance is infinite.
    """
    for i in range(candidates.shape[0]):
        for j in range(candidates.shape[1]):
            total = 0.0
            if candidates[i, j] < 0:
                total = np.inf
            else:
                for k in range(queries.shape[1]):
                    step = np.float64(queries[i, k]) - np.float64(points[candidates[i, j], k])
                    total += step * step
            out[i, j] = total


@njit(nogil=True, cache=True, fastmath={"nnan", "nsz", "reassoc"})
def sums_of_differences(queries, points, out):
    """Fill out[i, j] with the L1 distance in float32 from queries[i] to points[j]."""
    for i in range(queries.shape[0]):
        for j in range(points.shape[0]):
            total = np.float32(0.0)
            for k in range(queries.shape[1]):
                total += abs(queries[i, k] - points[j, k])
            out[i, j] = total


@njit(nogil=True, cache=True)
def squared_distances_to_all(query, points, out):
    """Fill out[j] with the squared distance in float64 from one query (d,) to each point (p, d)."""
    for j in range(points.shape[0]):
        total = 0.0
        for k in range(points.shape[1]):
            step = np.float64(query[k]) - np.float64(points[j, k])
            total += step * step
        out[j] = total
