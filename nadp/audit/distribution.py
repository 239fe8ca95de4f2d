"""A figure for each word, summarised as a distribution: for all words, and for each kind of word."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nadp.space import EmbeddingSpace

PERCENTILES = (5, 25, 50, 75, 95)
Masks = dict[str, npt.NDArray[np.bool_]]


@dataclass(frozen=True)
class Distribution:
    """Summary of some words' figures.

    Attributes:
        words: number of words.
        mean: mean of their figures; NaN without words.
        percentiles: the 5th, 25th, 50th, 75th and 95th percentile.
        threshold: a value of interest.
        share: share of the words at or above the threshold.
    """

    words: int
    mean: float
    percentiles: tuple[float, ...]
    threshold: float
    share: float


@dataclass(frozen=True)
class AuditMeasure:
    """The result of one attack or measure.

    Attributes:
        name: name of the measure.
        all: distribution over all words.
        by_kind: distributions over "isolated", "component" and "duplicate" words (see kinds_of_words).
    """

    name: str
    all: Distribution
    by_kind: dict[str, Distribution]


def distribution(
    values: npt.NDArray[np.floating | np.bool_], threshold: float, weights: npt.NDArray[np.float64] | None = None
) -> Distribution:
    """Return the distribution of some figures (q,), weighted by (q,); equal weights by default."""
    if not len(values):
        return Distribution(0, float("nan"), (float("nan"),) * len(PERCENTILES), threshold, float("nan"))
    numbers = values.astype(np.float64)
    if weights is None:
        percentiles = np.percentile(numbers, PERCENTILES)
    else:
        percentiles = np.percentile(numbers, PERCENTILES, weights=weights, method="inverted_cdf")
    quantiles = tuple(float(p) for p in percentiles)
    mean, share = (float(np.average(figure, weights=weights)) for figure in (numbers, numbers >= threshold))
    return Distribution(len(numbers), mean, quantiles, threshold, share)


def audited(
    name: str,
    values: npt.NDArray[np.floating | np.bool_],
    threshold: float,
    kinds: Masks,
    weights: npt.NDArray[np.float64] | None = None,
) -> AuditMeasure:
    """Return an audit from a figure for each word.

    Args:
        name: name of the measure.
        values: (q,) figures.
        threshold: a value of interest.
        kinds: (q,) which words are of each kind.
        weights: (q,) weights of the words; equal by default.
    """

    def of(mask: npt.NDArray[np.bool_] | slice) -> Distribution:
        return distribution(values[mask], threshold, None if weights is None else weights[mask])

    return AuditMeasure(name, of(slice(None)), {kind: of(mask) for kind, mask in kinds.items()})


def kinds_of_words(space: EmbeddingSpace) -> Masks:
    """Return which words (n,) are "duplicate" (share a vector), "isolated" in the graph, or "component" (others)."""
    points = space.embeddings.points
    duplicate = points.words_at[points.of_word] > 1
    isolated = space.neighbourhoods.was_isolated[points.of_word] & ~duplicate
    return {"isolated": isolated, "component": ~isolated & ~duplicate, "duplicate": duplicate}
