"""Compiled inner loops of nearest-neighbour search. tests/reference.py has the naive versions."""

import numpy as np

from nadp.runtime.compiled import compiled

_STRIP = 64


@compiled()
def _insert(best, columns, score, column):
    """Insert a score into the ascending scores `best`, dropping the largest; it goes after equal scores."""
    position = len(best) - 1
    while position > 0 and best[position - 1] > score:
        best[position] = best[position - 1]
        columns[position] = columns[position - 1]
        position -= 1
    best[position] = score
    columns[position] = column


@compiled(fastmath={"nnan", "nsz"})
def keep_smallest(scores, first, skip, columns, best):
    """Update the smallest scores of each row with the scores of more columns, ties by column.

    A whole strip of columns is first compared with the largest kept score; only a strip with a smaller score is
    scanned.

    Args:
        scores: (q, t) float32.
        first: the number of the first of these columns; columns come in ascending order.
        skip: (q,) int64, one column of each row to leave out (-1: none).
        columns: (q, k) integers, columns in ascending order of score, -1 where there is none yet.
        best: (q, k) float32, their scores, infinite where there is none yet.
    """
    rows, width = scores.shape
    end_of_strips = width - width % _STRIP
    for row in range(rows):
        for start in range(0, end_of_strips, _STRIP):
            strip = scores[row, start : start + _STRIP]
            limit = best[row, -1]
            any_smaller = False
            for j in range(_STRIP):
                any_smaller |= strip[j] < limit
            if any_smaller:
                for j in range(_STRIP):
                    if strip[j] < best[row, -1] and first + start + j != skip[row]:
                        _insert(best[row], columns[row], strip[j], first + start + j)
        for j in range(end_of_strips, width):
            if scores[row, j] < best[row, -1] and first + j != skip[row]:
                _insert(best[row], columns[row], scores[row, j], first + j)


@compiled(fastmath={"nnan", "nsz"})
def keep_smallest_both_ways(products, half, first_row, first_column, nearest, best, limits):
    """Update the smallest scores |y|^2/2 - x.y of some points x with the scores of other points y, and vice versa.

    A strip is scanned only if it holds a score below the largest one kept for its row or its column.

    Args:
        products: (q, t) float32, x.y of points numbered from `first_row` and of others numbered from `first_column`.
        half: (p,) float32, |x|^2/2 of all points.
        first_row: the number of the first x.
        first_column: the number of the first y.
        nearest: (p, k) int32, the points of smallest score for each point, ascending, -1 where there is none yet.
        best: (p, k) float32, their scores, infinite where there is none yet.
        limits: (p,) float32, the last column of `best`.
    """
    rows, width = products.shape
    for i in range(rows):
        row = first_row + i
        row_half, limit = half[row], limits[row]
        for start in range(0, width, _STRIP):
            strip, column = products[i, start : start + _STRIP], first_column + start
            column_halves, column_limits = half[column : column + _STRIP], limits[column : column + _STRIP]
            any_smaller = False
            if len(strip) == _STRIP:
                for j in range(_STRIP):
                    any_smaller |= (column_halves[j] - strip[j] < limit) | (row_half - strip[j] < column_limits[j])
            if any_smaller or len(strip) < _STRIP:
                for j in range(len(strip)):  # inlined: a function with array arguments takes ten times as long
                    if column_halves[j] - strip[j] < limit:
                        _insert(best[row], nearest[row], column_halves[j] - strip[j], column + j)
                        limit = best[row, -1]
                    if row_half - strip[j] < column_limits[j]:
                        _insert(best[column + j], nearest[column + j], row_half - strip[j], row)
                        column_limits[j] = best[column + j, -1]
        limits[row] = limit


@compiled(fastmath={"nnan", "nsz"})
def keep_smallest_shifted(base, shift, scale, first, nearest, best):
    """Update, like `keep_smallest`, the smallest of base[row] - scale[s, row] * shift[row] for each s and row.

    At the first columns, the scores of the columns that are smallest at the previous scale bound those at this one.

    Args:
        base: (q, t) float32.
        shift: (q, t) float32.
        scale: (s, q) float32.
        first: the number of the first of these columns.
        nearest: (s, q, k) int64, as in `keep_smallest`.
        best: (s, q, k) float32, as in `keep_smallest`.
    """
    rows, width = base.shape
    end_of_strips = width - width % _STRIP
    for row in range(rows):
        for s in range(len(scale)):
            factor, best_scores, columns = scale[s, row], best[s, row], nearest[s, row]
            bound = np.float32(np.inf)
            if s and best_scores[-1] == np.inf and best[s - 1, row, -1] < np.inf and nearest[s - 1, row].min() >= first:
                largest = np.float32(-np.inf)
                for column in nearest[s - 1, row]:
                    largest = max(largest, base[row, column - first] - factor * shift[row, column - first])
                bound = np.nextafter(largest, bound)  # so that equal scores are below it
            limit = min(best_scores[-1], bound)
            for start in range(0, end_of_strips, _STRIP):
                x, n = base[row, start : start + _STRIP], shift[row, start : start + _STRIP]
                any_smaller = False
                for j in range(_STRIP):
                    any_smaller |= x[j] - factor * n[j] < limit
                if any_smaller:
                    for j in range(_STRIP):
                        score = x[j] - factor * n[j]
                        if score < limit:
                            _insert(best_scores, columns, score, first + start + j)
                            limit = min(best_scores[-1], bound)
            for j in range(end_of_strips, width):
                score = base[row, j] - factor * shift[row, j]
                if score < limit:
                    _insert(best_scores, columns, score, first + j)
                    limit = min(best_scores[-1], bound)


@compiled()
def squared_distances(queries, points, candidates, out):
    """Fill out[i, j] with the squared distance in float64 from queries[i] to points[candidates[i, j]].

    A candidate of -1 means none: its distance is infinite.
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


@compiled()
def nearest_by_distance(queries, points, candidates, nearest, squared):
    """Find the nearest of some candidates of each query by squared distance in float64, ties by number.

    Args:
        queries: (q, d).
        points: (p, d).
        candidates: (q, c) integers, points; -1 means none, which is infinitely far.
        nearest: (q, k) integers, filled with the k <= c nearest candidates in ascending order of distance.
        squared: (q, k) float64, filled with their squared distances.
    """
    count = nearest.shape[1]
    for i in range(candidates.shape[0]):
        filled = 0
        for j in range(candidates.shape[1]):
            candidate, total = candidates[i, j], 0.0
            if candidate < 0:
                total = np.inf
            else:
                for k in range(queries.shape[1]):
                    step = np.float64(queries[i, k]) - np.float64(points[candidate, k])
                    total += step * step
            position = filled
            while position > 0 and (
                total < squared[i, position - 1]
                or (total == squared[i, position - 1] and candidate < nearest[i, position - 1])
            ):
                if position < count:
                    squared[i, position] = squared[i, position - 1]
                    nearest[i, position] = nearest[i, position - 1]
                position -= 1
            if position < count:
                squared[i, position] = total
                nearest[i, position] = candidate
                filled = min(filled + 1, count)


@compiled(fastmath={"nnan", "nsz", "reassoc"})
def sums_of_differences(queries, points, out):
    """Fill out[i, j] with the L1 distance in float32 from queries[i] to points[j]."""
    for i in range(queries.shape[0]):
        for j in range(points.shape[0]):
            total = np.float32(0.0)
            for k in range(queries.shape[1]):
                total += abs(queries[i, k] - points[j, k])
            out[i, j] = total


@compiled()
def squared_distances_to_all(query, points, out):
    """Fill out[j] with the squared distance in float64 from one query (d,) to each point (p, d)."""
    for j in range(points.shape[0]):
        total = 0.0
        for k in range(points.shape[1]):
            step = np.float64(query[k]) - np.float64(points[j, k])
            total += step * step
        out[j] = total


@compiled()
def posterior_weights(products, squared_norms, squares, weight, offset):
    """Turn products[i, j] = y_i . x_j into the probability of x_j given y_i, in place.

    The probability is proportional to exp(-|y_i - x_j|^2 weight[j] + offset[j]); values below 1e-17 of the largest
    count as 0.

    Args:
        products: (q, p) float64.
        squared_norms: (q,) float64, |y_i|^2.
        squares: (p,) float64, |x_j|^2.
        weight: (p,) float64.
        offset: (p,) float64.
    """
    for i in range(products.shape[0]):
        row, best = products[i], -np.inf
        for j in range(len(row)):
            row[j] = offset[j] - (squared_norms[i] + squares[j] - 2 * row[j]) * weight[j]
            best = max(best, row[j])
        total = 0.0
        for j in range(len(row)):
            row[j] = np.exp(row[j] - best) if row[j] > best - 40 else 0.0
            total += row[j]
        for j in range(len(row)):
            row[j] /= total
