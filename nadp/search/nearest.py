"""One function for all searches."""

import logging
from typing import Literal

import numpy as np

from nadp.embeddings import Floats
from nadp.errors import InputError
from nadp.search.approximate import annoy_is_installed, annoy_neighbours
from nadp.search.exact import exact_neighbours
from nadp.search.lists import NearestNeighbours

Search = Literal["annoy", "exact", "auto"]

_log = logging.getLogger(__name__)
_QUICKER_UP_TO = 50_000  # points, with exact search than with Annoy
_EXACT_UP_TO = 200_000  # points, where "auto" may choose: two minutes at most, and the same lists on every machine


def nearest_neighbours(
    vectors: Floats, n_neighbours: int = 10, *, search: Search = "exact", recall: float = 0.95, seed: int = 0
) -> NearestNeighbours:
    """Return the nearest neighbours of each vector among all of them (S_m of section 3).

    Each vector is first in its own list, by its row, even where others equal it; ties are in the order of the rows.

    Args:
        vectors: (p, d) float32, finite.
        n_neighbours: length of a list, the vector itself included; shorter where there are fewer vectors.
        search: "exact"; "annoy" (approximate, tuned until it reaches `recall`); "auto" (see rule_for_auto).
        recall: share of the true neighbours that an approximate search must find, 0 < recall <= 1.
        seed: of the approximate search.

    Raises:
        InputError: if a parameter is out of range, a number is not finite, or annoy is asked for but not installed.
    """
    vectors = np.ascontiguousarray(vectors, dtype=np.float32)
    if vectors.ndim != 2 or not len(vectors) or not np.isfinite(vectors).all():
        raise InputError(f"vectors must be a non-empty table of finite numbers, not one of shape {vectors.shape}")
    if n_neighbours < 1:
        raise InputError(f"n_neighbours counts the word itself, so it is at least 1, not {n_neighbours}")
    if not (0 < recall <= 1):
        raise InputError(f"recall must be above 0 and at most 1, not {recall}")
    n_neighbours = min(n_neighbours, len(vectors))
    chosen = rule_for_auto(len(vectors)) if search == "auto" else search
    if chosen == "exact":
        return NearestNeighbours(*exact_neighbours(vectors, n_neighbours))
    if chosen != "annoy":
        raise InputError(f"search must be 'annoy', 'exact' or 'auto', not {search!r}")
    if len(vectors) <= _QUICKER_UP_TO:
        _log.info("exact search is quicker up to some %d vectors (here %d)", _QUICKER_UP_TO, len(vectors))
    found = annoy_neighbours(vectors, n_neighbours, recall, seed)
    return NearestNeighbours(*found.lists, "annoy", found.recall, found.details)


def rule_for_auto(points: int) -> Literal["annoy", "exact"]:
    """Return the search that "auto" stands for: exact up to 200,000 points, then Annoy where it is installed."""
    return "annoy" if points > _EXACT_UP_TO and annoy_is_installed() else "exact"
