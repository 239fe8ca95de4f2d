"""The guarantee of groups, as formulas. Proofs are in docs/groups.md.

The output of a token reveals its group and nothing else, so an attacker with a prior can only compare the words of one
group.
"""

import numpy as np
import numpy.typing as npt

from nadp.errors import InputError

Labels = npt.NDArray[np.integer]
Weights = npt.NDArray[np.float64]


def largest_in_group(labels: Labels, weights: Weights) -> Weights:
    """Return the largest weight in each group, (g,), from the words' weights (n,)."""
    largest = np.zeros(int(labels.max()) + 1)
    np.maximum.at(largest, labels, weights)
    return largest


def posterior_bound(labels: Labels, weights: Weights) -> float:
    """Return the largest posterior of any word that any attacker can reach, if `weights` (n,) is the true prior."""
    return float((largest_in_group(labels, weights) / np.bincount(labels, weights=weights)).max())


def best_success(labels: Labels, weights: Weights) -> float:
    """Return the recovery of the best attacker, if `weights` (n,) is the true prior up to a factor."""
    return float(largest_in_group(labels, weights).sum() / weights.sum())


def success_with(labels: Labels, assumed: Weights, true: Weights) -> float:
    """Return the recovery of an attacker who assumes the prior `assumed`, although the true prior is `true`.

    Among equally probable words, the attacker guesses the first.
    """
    order = np.lexsort((np.arange(len(labels)), -assumed, labels))
    first = np.concatenate([[True], np.diff(labels[order]) > 0])
    return float(true[order[first]].sum() / true.sum())


def bound_with_ratio(bound: float, rho: float) -> float:
    """Return the bound on the posterior if the stated prior differs from the true one.

    Args:
        bound: b, the bound on the posterior under the stated prior.
        rho: largest factor by which the ratio of true to stated prior differs between two words of a group.

    Raises:
        InputError: if b is not a probability, or rho is below 1 or not finite.
    """
    if not 0 < bound <= 1:
        raise InputError(f"a bound on a posterior must be above 0 and at most 1, not {bound!r}")
    if not 1 <= rho < np.inf:
        raise InputError(f"rho must be at least 1 and finite, not {rho!r}")
    return rho * bound / (1 + (rho - 1) * bound)


def prior_ratio(labels: Labels, stated: Weights, true: Weights) -> float:
    """Return rho: the largest factor, within any group, by which the ratio of true to stated prior varies.

    It is infinite if the true prior is 0 for some, but not all, words of a group.
    """
    ratio = true / stated
    high, low = largest_in_group(labels, ratio), np.full(int(labels.max()) + 1, np.inf)
    np.minimum.at(low, labels, ratio)
    occupied = high > 0
    return float(
        np.divide(
            high[occupied], low[occupied], out=np.full(int(occupied.sum()), np.inf), where=low[occupied] > 0
        ).max()
    )


def together(*partitions: Labels) -> Labels:
    """Return the combined groups of several partitions of the same n words, (n,).

    Someone who sees a word's groups in two partitions knows that the word is in their intersection, so the bounds of
    neither partition hold. Use one partition for a whole series of releases.
    """
    _, labels = np.unique(np.column_stack(partitions), axis=0, return_inverse=True)
    return labels
