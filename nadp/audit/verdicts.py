"""Statistical tests of a release against its claim, at one family-wise error rate."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.special import fdtr, fdtrc, gammainc, gammaincc, gammainccinv, gammaincinv

from nadp.audit.shared_noise import SharedNoise
from nadp.embeddings import Words
from nadp.noise import NoiseSizes


@dataclass(frozen=True)
class Verdict:
    """One check.

    Attributes:
        name: name of the check.
        passed: whether the check found nothing wrong.
        value: the measured figure.
        limit: the limit for this figure.
        says: the finding in words, with the first offending word.
        about: "claim": does the release match its claim; "safety": is it safe, independent of any claim.
    """

    name: str
    passed: bool
    value: float
    limit: float
    says: str
    about: Literal["claim", "safety"] = "claim"


def every_word_has_noise(exposed: npt.NDArray[np.bool_], words: Words) -> Verdict:
    """Return whether every word has noise, so that none was released unchanged. This is not a statistical test."""
    share = float(exposed.mean())
    message = f"{exposed.sum():,} of {len(exposed):,} words were released without noise"
    return Verdict("every word has noise", share == 0, share, 0.0, message + _such_as_first(words, exposed), "safety")


def noise_has_the_claimed_size(sizes: NoiseSizes, words: Words, alarm: float) -> Verdict:
    """Return whether the noise of each word has a length that fits its claimed scale (Gamma, two-sided).

    The check finds words with too little or too much noise, neighbours with different noise, and rows in wrong order.

    Args:
        sizes: (n,) the noise of each word.
        words: (n,) their names.
        alarm: probability that a correct release fails.
    """
    tail = _two_sided(sizes.values, sizes.shape)
    limit = alarm / len(tail)
    failing = tail < limit
    message = f"{failing.sum():,} words have noise whose length does not fit the claim"
    return Verdict(
        "noise of each word", not failing.any(), float(tail.min()), limit, message + _such_as_first(words, failing)
    )


def components_have_the_claimed_noise(
    sizes: NoiseSizes, labels: npt.NDArray[np.integer], words: Words, alarm: float
) -> Verdict:
    """Return whether the noise of each component, and of all words together, is as large as claimed (Gamma, two-sided).

    There is one test for each component and one for all words, with Bonferroni's correction.

    Args:
        sizes: (n,) the noise of each word.
        labels: (n,) the component of each word.
        words: (n,) their names.
        alarm: probability that a correct release fails.
    """
    _, first, component, count = np.unique(labels, return_index=True, return_inverse=True, return_counts=True)
    component_sizes = np.bincount(component, sizes.values).astype(np.float64)
    total = np.append(component_sizes, component_sizes.sum())
    shape = sizes.shape * np.append(count, count.sum()).astype(np.float64)
    tail = _two_sided(total, shape)
    worst = int(tail.argmin())
    limit = alarm / len(tail)
    failing = tail < limit
    factor = (total[worst] / shape[worst]) ** sizes.power
    is_all_words = worst == len(count)
    where = "all words" if is_all_words else f"the component of {str(words[first[worst]])!r} ({count[worst]:,} words)"
    message = (
        f"{failing[:-1].sum():,} of {len(count):,} components have noise whose size does not fit the claim; "
        f"in {where} the noise is {factor:.4f} times as large as claimed"
    )
    return Verdict("noise of each component", not failing.any(), float(tail[worst]), limit, message)


def power_of_component_check(shape: float, power: float, factor: float, limit: float) -> float:
    """Return the probability that the check detects one component whose noise is larger than claimed by a factor.

    Args:
        shape: shape of its Gamma law: number of words times the shape of one word.
        power: the noise scale is proportional to this power of the size.
        factor: the factor by which the noise is larger.
        limit: limit for the p-value of this one test.
    """
    stretch = factor ** (1 / power)
    low, high = gammaincinv(shape, limit / 2), gammainccinv(shape, limit / 2)
    return float(gammainc(shape, low / stretch) + gammaincc(shape, high / stretch))


def no_two_words_share_noise(pair: SharedNoise, words: Words, alarm: float) -> Verdict:
    """Return whether no pair of words has noise that is too parallel to be independent.

    Args:
        pair: the most parallel pair.
        words: (n,) the names of the words that were compared.
        alarm: probability that a release with independent noise fails.
    """
    message = (
        f"of all pairs of {pair.words:,} words, {str(words[pair.first])!r} and {str(words[pair.second])!r} have the "
        f"most parallel noise: correlation {pair.cosine:+.3f}"
    )
    return Verdict("no two words share noise", pair.p_value >= alarm, pair.p_value, alarm, message, "safety")


def _two_sided(values: npt.NDArray[np.floating], shape: float | npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    """Return the two-sided p-value of each Gamma-distributed value."""
    p_values: npt.NDArray[np.float64] = 2 * np.minimum(gammainc(shape, values), gammaincc(shape, values))
    return p_values


def neighbours_share_one_scale(
    noise: npt.NDArray[np.floating], edges: npt.NDArray[np.int64], words: Words, alarm: float
) -> Verdict:
    """Return whether neighbouring words may have the same noise scale (two-sided F test of squared lengths).

    Different scales at the two ends of an edge distinguish its words, however large the scales are. The noise must be
    Gaussian.

    Args:
        noise: (n, d) released minus original vectors.
        edges: (e, 2) rows of neighbouring words.
        words: (n,) their names.
        alarm: probability that a release with one scale on each edge fails.
    """
    d = noise.shape[1]
    squared = (noise.astype(np.float64) ** 2).sum(axis=1)
    first_squared, second_squared = squared[edges[:, 0]], squared[edges[:, 1]]
    ratio = np.divide(first_squared, second_squared, out=np.full(len(edges), np.inf), where=second_squared > 0)
    ratio[(first_squared == 0) & (second_squared == 0)] = 1.0
    tail = 2 * np.minimum(fdtrc(d, d, ratio), fdtr(d, d, ratio))
    limit = alarm / max(1, len(edges))
    failing = tail < limit
    message = f"{failing.sum():,} of {len(edges):,} pairs of neighbours have different noise scales"
    if failing.any():
        first = edges[int(tail.argmin())]
        message += f" (such as {str(words[first[0]])!r} and {str(words[first[1]])!r})"
    return Verdict("neighbours share one noise scale", not failing.any(), float(tail.min(initial=1.0)), limit, message)


def _such_as_first(words: Words, failing: npt.NDArray[np.bool_]) -> str:
    return f" (such as {str(words[np.flatnonzero(failing)[0]])!r})" if failing.any() else ""
