"""Benchmarks as plain rows, and the value that each family makes of them."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from nadp.errors import FormatError
from nadp.utility.odd_man_out import Puzzles
from nadp.utility.word_similarity import WordPairs

Family = Literal["word-similarity", "odd-man-out"]
Items = WordPairs | Puzzles

COLUMNS: dict[Family, tuple[str, ...]] = {
    "word-similarity": ("first", "second", "rating"),
    "odd-man-out": ("terms",),
}
"""The columns of each family's rows."""


def items(family: Family, name: str, rows: Sequence[Sequence[Any]]) -> Items:
    """Return the items of a benchmark.

    Args:
        family: which family.
        name: of the benchmark.
        rows: as many values to a row as COLUMNS has names; the terms of a puzzle are one list, the odd one first.

    Raises:
        FormatError: if a rating is no finite number, a word is empty, or a puzzle has fewer than two terms.
    """
    if family == "odd-man-out":
        for number, (terms,) in enumerate(rows, start=1):
            if len(terms) < 2 or not all(terms):
                raise FormatError(f"{name}, row {number}: a puzzle needs several terms, not {terms!r}")
        return Puzzles(name, tuple(tuple(str(term) for term in terms) for (terms,) in rows))
    first, second, ratings = zip(*rows, strict=True)
    numbers = np.array([_number(name, number, rating) for number, rating in enumerate(ratings, start=1)])
    for number, words in enumerate(zip(first, second, strict=True), start=1):
        if not all(isinstance(word, str) and word for word in words):
            raise FormatError(f"{name}, row {number}: no pair of words: {words!r}")
    return WordPairs(name, first, second, numbers)


def _number(name: str, number: int, value: Any) -> float:  # noqa: ANN401 - whatever the file held
    try:
        found = float(value)
    except (TypeError, ValueError):
        found = float("nan")
    if not np.isfinite(found):
        raise FormatError(f"{name}, row {number}: {value!r} is no rating")
    return found
