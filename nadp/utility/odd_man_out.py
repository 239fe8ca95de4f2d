"""Odd-man-out: which of five terms does not belong (Stanovsky and Hopkins 2018; appendix A)."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from nadp.embeddings import Floats, Ids
from nadp.scores import Score
from nadp.utility.base import KnownWords, both_cases, compact
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
        return both_cases(term for puzzle in self.terms for term in puzzle)


class OddManOut:
    """How many puzzles are answered rightly: the answer is the term whose removal leaves the largest cosines.

    One abstains from a puzzle with an unknown term. Scores: "accuracy" (of the answered ones), "correct-share" (of
    all, those abstained from counting as wrong), and the numbers "correct", "wrong" and "abstained".

    Args:
        puzzles: sets of terms.
        known: the words that have vectors.
        form: "puzzles": any number of terms from three up; "reference": exactly five, as in the authors' code.
    """

    def __init__(self, puzzles: Puzzles, known: KnownWords, form: Form = "puzzles") -> None:
        rows = [known.rows(terms) for terms in puzzles.terms]
        usable = [
            r
            for r in rows
            if (r >= 0).all() and (len(r) == _REFERENCE_TERMS if form == "reference" else len(r) >= _FEWEST_TERMS)
        ]
        sizes = sorted({len(r) for r in usable})
        self.rows, self.groups = compact(*(np.array([r for r in usable if len(r) == size]) for size in sizes))
        self.name, self.total = puzzles.name, len(puzzles.terms)

    def scores(self, vectors: Floats) -> list[Score]:
        """Return the scores of the vectors (m, d) of `rows`."""
        correct = sum(int((odd_terms(vectors[group]) == 0).sum()) for group in self.groups)
        answered = sum(len(group) for group in self.groups)
        values = {
            "accuracy": (correct / answered if answered else float("nan"), answered),
            "correct-share": (correct / self.total, self.total),
            "correct": (correct, self.total),
            "wrong": (answered - correct, self.total),
            "abstained": (self.total - answered, self.total),
        }
        return [
            Score(self.name, metric, float(value), items, answered / self.total)
            for metric, (value, items) in values.items()
        ]


def odd_terms(terms: Floats) -> Ids:
    """Return which term of each puzzle (m, t, d) is the odd one, (m,); the first among equals.

    Leaving a term out leaves the sum of all cosines less twice its own, so the odd one has the least sum of cosines.
    """
    unit = unit_rows(terms)
    own = np.einsum("mtd,msd->mt", unit, unit) - np.einsum("mtd,mtd->mt", unit, unit)
    return own.argmin(axis=1)
