"""Odd-man-out: which of five terms does not belong (Stanovsky and Hopkins 2018; appendix A)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nadp.embeddings import Floats, Ids
from nadp.known_words import KnownWords, looked_up
from nadp.scores import Score
from nadp.utility.base import WordRows, compact, require_items
from nadp.utility.cosine import unit_rows
from nadp.utility.declaration import FEWEST_TERMS, MOST_TERMS
from nadp.utility.resampling import item_counts, over_items

Terms = tuple[str, ...]


@dataclass(frozen=True)
class Puzzles:
    """Sets of terms, one on each line of a file; the first term of each is the odd one."""

    name: str
    lines: tuple[Terms, ...]

    def words(self) -> set[str]:
        """Return the words to look up, in all forms."""
        return looked_up(term for terms in self.lines for term in terms)

    def distinct(self) -> list[Terms]:
        """Return each puzzle once, without lines that are not a single puzzle.

        The usual file has its 587 puzzles twice, and two of them are joined into one line.
        """
        return [terms for terms in dict.fromkeys(self.lines) if FEWEST_TERMS <= len(terms) <= MOST_TERMS]

    def reference(self) -> list[Terms]:
        """Return every line; as in the authors' code, a line without exactly five terms is not answered."""
        return [terms if len(terms) == MOST_TERMS else () for terms in self.lines]


class OddManOut(WordRows):
    """Accuracy on puzzles: the answer is the term whose removal leaves the largest cosines.

    Puzzles with an unknown term are not answered. Scores are "accuracy" (of the answered ones), "correct-share" (of
    all; unanswered puzzles count as wrong), and the numbers "correct", "wrong" and "abstained". They are over the
    distinct puzzles; if a file repeats or joins lines, as the usual file does, also over the lines as the authors count
    them, with "reference-" before the name of each metric.

    Args:
        sets: sets of puzzles, at least one.
        known: the words that have vectors.

    Raises:
        InputError: if no puzzle of a set can be answered.
    """

    def __init__(self, sets: Sequence[Puzzles], known: KnownWords) -> None:
        forms = [(s.name, prefix, puzzles) for s in sets for prefix, puzzles in _forms(s).items()]
        known_by_form = [
            [r for terms in puzzles if len(r := known.rows(terms)) and (r >= 0).all()] for _, _, puzzles in forms
        ]
        for (name, _, puzzles), known_puzzles in zip(forms, known_by_form, strict=True):
            require_items(name, len(known_puzzles), 1, f"puzzles (of {len(puzzles):,})")
        sizes = [sorted({len(rows) for rows in known_puzzles}) for known_puzzles in known_by_form]
        tables = [
            np.array([rows for rows in known_puzzles if len(rows) == size])
            for known_puzzles, form_sizes in zip(known_by_form, sizes, strict=True)
            for size in form_sizes
        ]
        self.rows, compacted = compact(*tables)
        remaining_tables = iter(compacted)
        self._forms = [
            _Form(name, prefix, [next(remaining_tables) for _ in form_sizes], len(puzzles))
            for (name, prefix, puzzles), form_sizes in zip(forms, sizes, strict=True)
        ]

    def scores(self, features: Floats) -> list[Score]:
        """Return the scores of the vectors (m, d) of `rows`."""
        return [score for form in self._forms for score in form.scores(features)]


def _forms(puzzles: Puzzles) -> dict[str, list[Terms]]:
    distinct = puzzles.distinct()
    return {"": distinct} if len(distinct) == len(puzzles.lines) else {"": distinct, "reference-": puzzles.reference()}


@dataclass(frozen=True, eq=False)
class _Form:
    """Puzzles that can be answered, in groups of equal size, and the number of all puzzles."""

    name: str
    prefix: str
    groups: list[Ids]
    n_puzzles: int

    def scores(self, vectors: Floats) -> list[Score]:
        right = np.concatenate([odd_terms(vectors[group]) == 0 for group in self.groups])
        correct, answered = int(right.sum()), len(right)
        share = item_counts(self.prefix + self.name, answered) @ right.astype(np.float32) / answered
        resampled = {"accuracy": share, "correct-share": share * answered / self.n_puzzles}
        values = {
            "accuracy": (correct / answered, answered),
            "correct-share": (correct / self.n_puzzles, self.n_puzzles),
            "correct": (correct, self.n_puzzles),
            "wrong": (answered - correct, self.n_puzzles),
            "abstained": (self.n_puzzles - answered, self.n_puzzles),
        }
        return [
            Score(
                self.name,
                self.prefix + metric,
                float(value),
                items,
                answered / self.n_puzzles,
                **(over_items(resampled[metric]) if metric in resampled else {}),
            )
            for metric, (value, items) in values.items()
        ]


def odd_terms(terms: Floats) -> Ids:
    """Return the odd term of each puzzle (m, t, d), (m,); -1 if several are equally odd.

    Removing a term subtracts twice its own sum of cosines from the sum of all, so the odd term has the least sum.
    """
    unit = unit_rows(terms)
    similarity_to_others = np.einsum("mtd,msd->mt", unit, unit) - np.einsum("mtd,mtd->mt", unit, unit)
    lowest = similarity_to_others.min(axis=1, keepdims=True)
    return np.where((similarity_to_others == lowest).sum(axis=1) == 1, similarity_to_others.argmin(axis=1), -1)
