"""Exact search: blocked float32 products propose candidates, float64 distances decide.

Exactness is proved for each row: a bound on the rounding of the product shows that no point outside the candidates can
be among the nearest. If the bound is not tight enough, the row is recomputed in float64.
"""

import numpy as np
import numpy.typing as npt

from nadp.embeddings import Floats, Ids
from nadp.runtime.parallel import for_blocks
from nadp.search.kernels import nearest_by_distance, squared_distances_to_all
from nadp.search.pairs import nearest_candidates
from nadp.search.tiles import ROWS, Candidates, products, smallest

_SAFE_POWER = 40
_SPARE = 22  # extra candidates

Lists = tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]


def exact_neighbours(points: Floats, n_neighbours: int, rows: npt.NDArray[np.int64] | None = None) -> Lists:
    """Return the indices (q, k) and distances (q, k) of the points nearest to some rows, the row itself first.

    Args:
        points: (p, d) float32.
        n_neighbours: k, at most p.
        rows: the queries, (q,); default all.
    """
    if power := unit_of_length(points):
        indices, distances = exact_neighbours(np.ldexp(points, -power), n_neighbours, rows)
        return indices, np.ldexp(distances, power)
    n_candidates = min(n_neighbours - 1 + _SPARE, len(points) - 1)
    squares = np.einsum("ij,ij->i", points, points, dtype=np.float64)
    half, lengths = (squares / 2).astype(np.float32), np.sqrt(squares)
    all_candidates = nearest_candidates(points, half, n_candidates) if rows is None else None
    rows = np.arange(len(points)) if rows is None else np.asarray(rows, dtype=np.int64)
    indices = np.empty((len(rows), n_neighbours), dtype=np.int32)
    distances = np.empty((len(rows), n_neighbours))

    def work(block: slice) -> None:
        block_points = rows[block]
        candidates, scores = (
            (all_candidates[0][block], all_candidates[1][block])
            if all_candidates
            else smallest(products(points[block_points], points, half), len(points), block_points, n_candidates)
        )
        slack = rounding(points.shape[1], lengths[block_points], float(lengths.max()))
        near = _may_be_near(scores, slack, n_neighbours - 1)
        indices[block], distances[block] = ranked(points, block_points, candidates[:, :near], n_neighbours)
        if n_candidates < len(points) - 1:
            proved = distances[block, -1] ** 2 / 2 - squares[block_points] / 2 < scores[:, -1] - slack
            for i in np.flatnonzero(~proved):
                row = slice(block.start + int(i), block.start + int(i) + 1)
                indices[row], distances[row] = _in_float64(points, block_points[i], n_neighbours)

    for_blocks(work, len(rows), ROWS, "distances" if all_candidates else "exact neighbours")
    return indices, distances


def _may_be_near(scores: Floats, slack: npt.NDArray[np.float64], count: int) -> int:
    """Return how many of the first candidates may be among the nearest points of any row, given the rounding.

    Args:
        scores: (q, c) of the candidates of each row, ascending.
        slack: (q,) a bound on their rounding.
        count: number of wanted nearest points, at most c.
    """
    if not count:
        return 0
    return int((scores <= (scores[:, count - 1] + 2 * slack)[:, None]).sum(axis=1).max())


def unit_of_length(points: Floats) -> int:
    """Return the power of two to divide points by, so that squares stay in the range of float32; 0 if not needed."""
    power = int(np.frexp(max(points.max(), -points.min()))[1])
    return power if abs(power) > _SAFE_POWER else 0


def ranked(points: Floats, rows: Ids, candidates: Candidates, n_neighbours: int) -> Lists:
    """Return the nearest candidates of each row by float64 distance, ties by index, the row itself first.

    Args:
        points: (p, d) float32.
        rows: (q,) the queries.
        candidates: (q, c) other points; -1 for none.
        n_neighbours: length of the lists, at most c + 1.
    """
    nearest = np.empty((len(rows), n_neighbours - 1), dtype=candidates.dtype)
    squared = np.empty(nearest.shape)
    nearest_by_distance(points[rows], points, candidates, nearest, squared)
    indices = np.column_stack([rows, nearest])
    distances = np.column_stack([np.zeros(len(rows)), np.sqrt(squared)])
    return indices.astype(np.int32), distances


def rounding(dimension: int, length: npt.NDArray[np.float64], longest: float) -> npt.NDArray[np.float64]:
    """Return a bound on the error of |y|^2 / 2 - x.y in float32, for norms of x (q,) and y up to `longest`."""
    unit = 2.0**-24
    return (dimension + 8) * unit * length * longest + 2 * unit * longest**2


def _in_float64(points: Floats, row: int, n_neighbours: int) -> Lists:
    squared = np.empty(len(points))
    squared_distances_to_all(points[row], points, squared)
    squared[row] = np.inf
    edge = np.partition(squared, n_neighbours - 2)[n_neighbours - 2]
    candidates = np.flatnonzero(squared <= edge)
    return ranked(points, np.array([row]), candidates[None, :], n_neighbours)
