"""What groups promise, in formulas. Proofs are in docs/groups.md.

A token's output tells its group and nothing else, so an attacker who knows how frequent words are can only weigh the
words of one group against each other.
"""

import numpy as np
import numpy.typing as npt

from nadp.errors import InputError

Labels = npt.NDArray[np.integer]
Weights = npt.NDArray[np.float64]


def largest_in_group(labels: Labels, weights: Weights) -> Weights:
    """Return the largest weight of each group, (g,), from those of the words (n,)."""
    largest = np.zeros(int(labels.max()) + 1)
    np.maximum.at(largest, labels, weights)
    return largest


def posterior_bound(labels: Labels, weights: Weights) -> float:
    """Return the largest posterior that any attacker can have of any word, if `weights` (n,) is the true prior."""
    return float((largest_in_group(labels, weights) / np.bincount(labels, weights=weights)).max())


def best_success(labels: Labels, weights: Weights) -> float:
    """Return the share of tokens that the best attacker finds, if `weights` (n,) is the true prior, up to a factor."""
    return float(largest_in_group(labels, weights).sum() / weights.sum())


def success_with(labels: Labels, assumed: Weights, true: Weights) -> float:
    """Return the share of tokens that an attacker finds who takes `assumed` for the prior where `true` is it.

    Of equally probable words the attacker names the first.
    """
    order = np.lexsort((np.arange(len(labels)), -assumed, labels))
    first = np.concatenate([[True], np.diff(labels[order]) > 0])
    return float(true[order[first]].sum() / true.sum())


def bound_with_ratio(bound: float, rho: float) -> float:
    """Return the bound on the posterior where the prior is not quite the true one.

    Args:
        bound: b, on the posterior under the stated prior.
        rho: how many times larger the ratio of true to stated prior is for one word of a group than for another.

    Raises:
        InputError: if b is not a probability, or rho is below 1 or not finite.
    """
    if not 0 < bound <= 1:
        raise InputError(f"a bound on a posterior lies above 0 and at most at 1, not at {bound!r}")
    if not 1 <= rho < np.inf:
        raise InputError(f"rho is at least 1 and finite, not {rho!r}")
    return rho * bound / (1 + (rho - 1) * bound)


def prior_ratio(labels: Labels, stated: Weights, true: Weights) -> float:
    """Return rho: the largest factor, within any group, by which the ratio of true to stated prior varies.

    Infinite where the true prior of one word of a group is 0, unless it is so for all of them.
    """
    ratio = true / stated
    high, low = largest_in_group(labels, ratio), np.full(int(labels.max()) + 1, np.inf)
    np.minimum.at(low, labels, ratio)
    some = high > 0
    return float(np.divide(high[some], low[some], out=np.full(int(some.sum()), np.inf), where=low[some] > 0).max())


def together(*partitions: Labels) -> Labels:
    """Return what several partitions of the same n words tell together, (n,): the group of each word in all of them.

    Whoever sees a word's group in each of two partitions knows that it is in both, so bounds of the one or the other do
    not hold: one partition for a series of releases, and no other.
    """
    _, labels = np.unique(np.column_stack(partitions), axis=0, return_inverse=True)
    return labels
