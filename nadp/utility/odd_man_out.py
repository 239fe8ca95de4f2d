"""Odd-man-out: which of five terms does not belong (Stanovsky and Hopkins 2018; appendix A)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from nadp.embeddings import Embeddings, Floats, Ids
from nadp.scores import Score
from nadp.utility.cosine import unit_rows

Form = Literal["puzzles", "reference"]
_REFERENCE_TERMS = 5
_FEWEST_TERMS = 3


@dataclass(frozen=True)
class Puzzles:
    """Sets of terms; the first of each is the odd one."""

    name: str
    terms: tuple[tuple[str, ...], ...]

    def words(self) -> set[str]:
        """Return the words that are needed, also in lower case."""
        words = {term for puzzle in self.terms for term in puzzle}
        return words | {word.lower() for word in words}


@dataclass(frozen=True, eq=False)
class KnownPuzzles:
    """The puzzles that can be answered, as rows of an embedding, in groups of equal size; and how many there are."""

    name: str
    groups: tuple[Ids, ...]
    total: int


def known_puzzles(puzzles: Puzzles, embeddings: Embeddings, form: Form = "puzzles") -> KnownPuzzles:
    """Return the puzzles all of whose terms are known words; on the others one abstains.

    Args:
        puzzles: sets of terms.
        embeddings: the words that are known.
        form: "puzzles": any number of terms from three up; "reference": exactly five, as in the authors' code.
    """
    rows = [embeddings.rows(terms) for terms in puzzles.terms]
    known = [
        r
        for r in rows
        if (r >= 0).all() and (len(r) == _REFERENCE_TERMS if form == "reference" else len(r) >= _FEWEST_TERMS)
    ]
    sizes = sorted({len(r) for r in known})
    return KnownPuzzles(puzzles.name, tuple(np.array([r for r in known if len(r) == s]) for s in sizes), len(rows))


def odd_man_out(puzzles: KnownPuzzles, vectors: Floats) -> list[Score]:
    """Return how many puzzles are answered rightly: the answer is the term whose removal leaves the largest cosines.

    A right answer is the first term, also among equals. Scores: "accuracy" (of the answered ones), "correct-share"
    (of all, those abstained from counting as wrong), and the numbers "correct", "wrong" and "abstained".

    Args:
        puzzles: what can be answered.
        vectors: (n, d) the embedding that the rows point into.
    """
    correct = sum(int((odd_terms(vectors[rows]) == 0).sum()) for rows in puzzles.groups)
    answered = sum(len(rows) for rows in puzzles.groups)
    coverage = answered / puzzles.total if puzzles.total else 0.0
    values = {
        "accuracy": (correct / answered if answered else float("nan"), answered),
        "correct-share": (correct / puzzles.total if puzzles.total else float("nan"), puzzles.total),
        "correct": (correct, puzzles.total),
        "wrong": (answered - correct, puzzles.total),
        "abstained": (puzzles.total - answered, puzzles.total),
    }
    return [Score(puzzles.name, metric, float(v), items, coverage) for metric, (v, items) in values.items()]


def odd_terms(terms: Floats) -> Ids:
    """Return which term of each puzzle (m, t, d) is the odd one, (m,).

    Leaving a term out leaves the sum of all cosines less twice its own, so the odd one has the least sum of cosines.
    """
    unit = unit_rows(terms)
    own = np.einsum("mtd,msd->mt", unit, unit) - np.einsum("mtd,mtd->mt", unit, unit)
    return own.argmin(axis=1)
