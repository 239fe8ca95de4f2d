"""One function for all kinds of search."""

import logging
from typing import Literal, get_args

import numpy as np

from nadp.choices import Search
from nadp.embeddings import Floats
from nadp.errors import InputError
from nadp.search import descent
from nadp.search.approximate import approximate_neighbours
from nadp.search.exact import exact_neighbours
from nadp.search.lists import NearestNeighbours

_log = logging.getLogger(__name__)
_EXACT_UP_TO = 200_000  # points: at most two minutes, and the same lists on every machine


def nearest_neighbours(
    vectors: Floats, n_neighbours: int = 10, *, search: Search = "exact", recall: float = 0.95, seed: int = 0
) -> NearestNeighbours:
    """Return the nearest neighbours of each vector among all of them (S_m of section 3).

    Each vector is first in its own list, even if others are equal; ties are in the order of the rows.

    Args:
        vectors: (p, d) float32, finite.
        n_neighbours: length of a list, the vector itself included; shorter if there are fewer vectors.
        search: "exact"; "annoy" or "nndescent" (approximate, until they reach `recall`); "auto" (see rule_for_auto).
        recall: share of the true neighbours that an approximate search must find, 0 < recall <= 1.
        seed: seed of the approximate search.

    Raises:
        InputError: if a parameter is out of range, a number is not finite, or the search is not installed.
    """
    vectors = np.ascontiguousarray(vectors, dtype=np.float32)
    if vectors.ndim != 2 or not vectors.size or not np.isfinite([vectors.min(), vectors.max()]).all():
        raise InputError(f"vectors must be a non-empty table of finite numbers, not one of shape {vectors.shape}")
    if n_neighbours < 1:
        raise InputError(f"n_neighbours counts the word itself, so it is at least 1, not {n_neighbours}")
    if not (0 < recall <= 1):
        raise InputError(f"recall must be above 0 and at most 1, not {recall}")
    if search not in get_args(Search):
        raise InputError(f"search must be one of {', '.join(get_args(Search))}, not {search!r}")
    n_neighbours = min(n_neighbours, len(vectors))
    method = rule_for_auto(len(vectors)) if search == "auto" else search
    if method == "exact":
        _log.info("exact search for %d vectors", len(vectors))
        return NearestNeighbours(*exact_neighbours(vectors, n_neighbours))
    if rule_for_auto(len(vectors)) == "exact":
        _log.info("exact search misses nothing and takes two minutes at most for %d vectors", len(vectors))
    approximate = approximate_neighbours(vectors, n_neighbours, method, recall, seed)
    return NearestNeighbours(*approximate.lists, method, approximate.recall, approximate.details)


def rule_for_auto(points: int) -> Literal["nndescent", "exact"]:
    """Return the search that "auto" chooses: exact up to 200,000 points, then NN-descent if it is installed."""
    return "nndescent" if points > _EXACT_UP_TO and descent.is_installed() else "exact"
