"""The prior: the assumed word frequencies under which the guarantee of groups is stated.

Weights are integers whose sum float64 represents exactly. So the prior of a group does not depend on the order of
summation, and shares are compared with their bounds without rounding.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from nadp.embeddings import Ids, Words
from nadp.errors import InputError
from nadp.vocabulary import frequencies_of

UNIFORM = "uniform"
ZIPF = "Zipf's law by rank, exponent "
"""The start of the names of Zipf priors; the exponent follows."""
_TOTAL = 2.0**50
_MOST = 2.0**53
_LEAST_TOTAL = 1e-250


@dataclass(frozen=True, eq=False)
class Prior:
    """The assumed frequency of each of n words.

    Attributes:
        name: its source, for certificate and report.
        weights: (n,) whole numbers above 0 whose sum is below 2^53.
        unit: weight of a count of 1 in the source, for words that join later.
        own_texts: whether it was counted in the texts to be protected. The guarantee does not hold for these texts.
    """

    name: str
    weights: npt.NDArray[np.float64]
    unit: float = 1.0
    own_texts: bool = False

    def __len__(self) -> int:
        return len(self.weights)

    @property
    def total(self) -> float:
        """The sum of all weights."""
        return float(self.weights.sum())

    @property
    def shares(self) -> npt.NDArray[np.float64]:
        """(n,) the probability of each word."""
        return self.weights / self.total

    @property
    def is_uniform(self) -> bool:
        """Whether all words are equally probable."""
        return bool((self.weights == self.weights[0]).all())

    @property
    def largest(self) -> int:
        """The row of the most probable word, the first among equals."""
        return int(self.weights.argmax())


def uniform_prior(words: int) -> Prior:
    """Return the uniform prior over a number of words."""
    return Prior(UNIFORM, np.ones(words))


def zipf_prior(ranks: int | Ids, exponent: float = 1.0) -> Prior:
    """Return Zipf's law: a word's probability is proportional to rank^-exponent.

    Args:
        ranks: (n,) the rank of each word, 1 for the most frequent; or a number of words, ordered by frequency.
        exponent: 0 or more, and finite.

    Raises:
        InputError: if a rank is below 1, or the exponent is out of range.
    """
    rank_of_word = np.arange(1, ranks + 1) if isinstance(ranks, int) else np.asarray(ranks)
    if not 0 <= exponent < np.inf:
        raise InputError(f"the exponent of Zipf's law must be 0 or more and finite, not {exponent!r}")
    if not len(rank_of_word) or rank_of_word.min() < 1:
        raise InputError(f"ranks begin with 1, not with {rank_of_word.min() if len(rank_of_word) else 'nothing'}")
    return counted_prior(rank_of_word.astype(np.float64) ** -exponent, f"{ZIPF}{exponent:g}")


def counted_prior(counts: npt.ArrayLike, name: str = "counts", own_texts: bool = False) -> Prior:
    """Return a prior from counts. A word with count 0 gets the smallest positive count, since it may occur.

    Args:
        counts: (n,) finite counts, none below 0, not all 0.
        name: their source.
        own_texts: whether they were counted in the texts to be protected.

    Raises:
        InputError: if a count is below 0 or not finite, all are 0, or their sum is too small or too large.
    """
    counts = np.asarray(counts, dtype=np.float64)
    if counts.ndim != 1 or not (np.isfinite(counts) & (counts >= 0)).all():
        raise InputError(f"a prior needs one finite count, 0 or more, for each word, not {counts!r}")
    if not counts.any():
        raise InputError("a prior needs at least one positive count: all counts are 0")
    counts = np.where(counts > 0, counts, counts[counts > 0].min())
    with np.errstate(over="ignore"):
        total = float(counts.sum())
    if not _LEAST_TOTAL <= total <= 1 / _LEAST_TOTAL:
        raise InputError(f"the counts of a prior add up to {total:.3g}: scale them to a more usual size")
    are_integers = bool((counts == np.rint(counts)).all()) and total < _MOST
    unit = 1.0 if are_integers else _TOTAL / total
    return Prior(name, np.rint(counts * unit).clip(min=1), unit, own_texts)


def file_prior(path: str | Path, words: Words, own_texts: bool = False) -> Prior:
    """Return the prior from a list of frequencies; see nadp.vocabulary.frequencies_of.

    Args:
        path: path of the list.
        words: (n,) words of the prior.
        own_texts: whether the list was counted in the texts to be protected.
    """
    return counted_prior(frequencies_of(path, words), file_prior_name(path), own_texts)


def file_prior_name(path: str | Path) -> str:
    """Return the name of a prior from a list of frequencies."""
    return f"frequencies of {Path(path).name}"
