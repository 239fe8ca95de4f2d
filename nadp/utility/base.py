"""The base of all evaluations: they apply a linear map to some rows of an embedding and score the result.

Because the map is linear, the features of x + c n are the features of x plus c times the features of n. So the map is
applied to a base draw once and serves every noise scale.
"""

from typing import Protocol

import numpy as np

from nadp.embeddings import Floats, Ids
from nadp.errors import InputError
from nadp.scores import Score


class Evaluation(Protocol):
    """A family of benchmarks, prepared for one vocabulary.

    Attributes:
        rows: (m,) the rows of the embedding that are read, in ascending order.
    """

    rows: Ids

    def features(self, vectors: Floats) -> Floats:
        """Return the scored features of the vectors (m, d) of `rows`, a linear function of them, (f, d)."""
        ...

    def scores(self, features: Floats) -> list[Score]:
        """Return the scores of some features (f, d)."""
        ...


class WordRows:
    """An evaluation of single words: its features are their vectors."""

    rows: Ids

    def features(self, vectors: Floats) -> Floats:
        """Return the vectors (m, d) of `rows` unchanged."""
        return vectors


def compact(*tables: Ids) -> tuple[Ids, list[Ids]]:
    """Return the distinct rows of some tables, and the tables as positions among them."""
    rows = np.unique(np.concatenate([table.ravel() for table in tables])) if tables else np.empty(0, dtype=np.int64)
    return rows.astype(np.int64), [np.searchsorted(rows, table) for table in tables]


def require_items(name: str, known: int, least: int, what: str) -> None:
    """Refuse a benchmark with too few known items to score it.

    Args:
        name: name of the benchmark.
        known: number of items that can be scored.
        least: number of items needed.
        what: the items.

    Raises:
        InputError: if fewer are known.
    """
    if known < least:
        raise InputError(
            f"{name} cannot be scored: the embedding knows {known} of its {what}, but at least {least} are needed. "
            "Is it in another language or form (lemmas, ids, capitals)? Leave it out, or give the right file"
        )
