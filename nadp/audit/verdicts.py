"""Statistical tests of a release against what is claimed of it, at one false-alarm rate for all together."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.stats import chi2, f

from nadp.embeddings import Words


@dataclass(frozen=True)
class Verdict:
    """One check.

    Attributes:
        name: what was checked.
        passed: whether nothing was found.
        value: the figure.
        limit: what it was held against.
        says: in words, with the first offender where there is one.
    """

    name: str
    passed: bool
    value: float
    limit: float
    says: str


def every_word_has_noise(exposed: npt.NDArray[np.bool_], words: Words) -> Verdict:
    """Return whether no word was released as it is; no chance is involved."""
    share = float(exposed.mean())
    says = f"{exposed.sum():,} of {len(exposed):,} words were released without noise"
    return Verdict("every word has noise", share == 0, share, 0.0, says + _first(words, exposed))


def noise_has_the_claimed_size(
    noise: npt.NDArray[np.floating], scale: npt.NDArray[np.float64], words: Words, alarm: float
) -> Verdict:
    """Return whether the noise of each word is as long as its claimed scale allows (chi-squared, two-sided).

    Finds a word with too little or too much noise, neighbours with different noise, and rows in the wrong order.

    Args:
        noise: (n, d) released less original vectors.
        scale: (n,) claimed standard deviation of each word's noise, above 0.
        words: (n,) their names.
        alarm: probability that a release as claimed fails.
    """
    d = noise.shape[1]
    squared = (noise.astype(np.float64) ** 2).sum(axis=1) / scale**2
    tail = 2 * np.minimum(chi2.sf(squared, d), chi2.cdf(squared, d))
    limit = alarm / len(tail)
    bad = tail < limit
    says = f"{bad.sum():,} words have noise of another length than claimed"
    return Verdict("noise of each word", not bad.any(), float(tail.min()), limit, says + _first(words, bad))


def noise_has_the_claimed_spread(
    squared: npt.NDArray[np.float64], values: npt.NDArray[np.int64], names: list[str], alarm: float
) -> Verdict:
    """Return whether the mean square of standardised noise is 1 in each group of words (chi-squared, two-sided).

    Args:
        squared: (g,) mean squares of noise / scale.
        values: (g,) how many numbers each was computed from.
        names: of the groups.
        alarm: probability that a release as claimed fails.
    """
    some = np.flatnonzero(values)
    total = squared[some] * values[some]
    tail = 2 * np.minimum(chi2.sf(total, values[some]), chi2.cdf(total, values[some]))
    worst = int(tail.argmin())
    limit = alarm / len(tail)
    says = f"in {names[some[worst]]} the noise is {np.sqrt(squared[some[worst]]):.4f} times as large as claimed"
    return Verdict("noise of each class of components", bool(tail[worst] >= limit), float(tail[worst]), limit, says)


def neighbours_share_one_scale(
    noise: npt.NDArray[np.floating], edges: npt.NDArray[np.int64], words: Words, alarm: float
) -> Verdict:
    """Return whether the noise of neighbouring words may have one scale (F test of their squared lengths, two-sided).

    Different scales on the two sides of an edge tell its words apart, whatever they are. The noise must be Gaussian.

    Args:
        noise: (n, d) released less original vectors.
        edges: (e, 2) rows of neighbouring words.
        words: (n,) their names.
        alarm: probability that a release with one scale on each edge fails.
    """
    d = noise.shape[1]
    squared = (noise.astype(np.float64) ** 2).sum(axis=1)
    one, other = squared[edges[:, 0]], squared[edges[:, 1]]
    ratio = np.divide(one, other, out=np.full(len(edges), np.inf), where=other > 0)
    ratio[(one == 0) & (other == 0)] = 1.0
    tail = 2 * np.minimum(f.sf(ratio, d, d), f.cdf(ratio, d, d))
    limit = alarm / max(1, len(edges))
    bad = tail < limit
    says = f"{bad.sum():,} of {len(edges):,} pairs of neighbours have different amounts of noise"
    if bad.any():
        first = edges[int(tail.argmin())]
        says += f" (such as {str(words[first[0]])!r} and {str(words[first[1]])!r})"
    return Verdict("neighbours share one scale", not bad.any(), float(tail.min(initial=1.0)), limit, says)


def _first(words: Words, bad: npt.NDArray[np.bool_]) -> str:
    return f" (such as {str(words[np.flatnonzero(bad)[0]])!r})" if bad.any() else ""
