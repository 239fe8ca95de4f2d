"""Preconditions of publication: every word has noise, neighbours share one noise scale, epsilon is not weak."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nadp.calibration import epsilon_of, mu_of, noise_multiplier
from nadp.errors import RefusedError
from nadp.space import EmbeddingSpace

WEAK = 10.0
"""Above this epsilon, publication needs the user's explicit consent to weak privacy."""
WEAK_DELTA = 1e-6
"""The delta at which WEAK is stated."""
_WEAK_HELP = "choose a smaller {}, or accept weak privacy explicitly (accept_weak_privacy)"
_UNEVEN = "the share of edges with two scales"
_OTHERS = "choose isolated='nearest' or 'drop'"


@dataclass(frozen=True)
class Measure:
    """A measure that decides whether something may be published.

    Attributes:
        key: its name in certificates.
        name: name of the measure, in words.
        value: as measured.
        limit: to which it is compared.
        passed: whether it allows publication.
        would_help: what to change if it does not.
    """

    key: str
    name: str
    value: float
    limit: float
    passed: bool
    would_help: str

    def __str__(self) -> str:
        return f"{self.name} is {self.value:.4g}, the limit {self.limit:.4g}: {self.would_help}"


def passed(measures: list[Measure]) -> list[Measure]:
    """Return the measures if all allow publication.

    Raises:
        RefusedError: if one does not allow it.
    """
    if not all(measure.passed for measure in measures):
        raise RefusedError(measures)
    return measures


def graph_measures(space: EmbeddingSpace, scale: npt.NDArray[np.float64]) -> list[Measure]:
    """Return measures of whether every word has noise and a guarantee, and neighbours share one noise scale.

    Args:
        space: n words.
        scale: (n,) of each word's noise, up to a factor.
    """
    ends = scale[space.embeddings.points.first_word][space.neighbourhoods.graph.edges]
    uneven_share = float((ends[:, 0] != ends[:, 1]).mean())
    unprotected_share = unprotected(space) if space.neighbourhoods.isolated == "exact" else 0.0
    label = "the share of words that isolated='exact' leaves without a guarantee"
    return [
        Measure("share_without_guarantee", label, unprotected_share, 0.0, unprotected_share == 0, _OTHERS),
        noise_measure(scale[space.released]),
        Measure("share_of_uneven_edges", _UNEVEN, uneven_share, 0.0, uneven_share == 0, "choose mechanism='nadp'"),
    ]


def noise_measure(scale: npt.NDArray[np.float64]) -> Measure:
    """Return the measure of whether every published word gets noise; `scale` is (m,), up to a factor."""
    share_without_noise = float((~(scale > 0)).mean())
    return Measure(
        "share_without_noise",
        "the share of words without noise",
        share_without_noise,
        0.0,
        share_without_noise == 0,
        _OTHERS,
    )


def budget_measures(
    epsilon: float, delta: float, mu: float | None, words: int, *, accept_weak_privacy: bool
) -> list[Measure]:
    """Return measures of whether a budget is strong enough, or explicitly accepted as weak.

    Gaussian noise is judged by mu, stated as epsilon at delta 1e-6, so a larger delta does not help.

    Args:
        epsilon: claimed.
        delta: claimed.
        mu: mu of Gaussian differential privacy; None if the noise is not Gaussian.
        words: number of published words, n.
        accept_weak_privacy: whether the user accepts an epsilon above 10, or a delta above 1/n.
    """
    is_strong = epsilon <= WEAK if mu is None else mu <= mu_of(noise_multiplier(WEAK, WEAK_DELTA))
    judged_epsilon = epsilon if mu is None else epsilon_of(mu, WEAK_DELTA)
    max_epsilon, max_delta = (np.inf, 1.0) if accept_weak_privacy else (WEAK, 1 / words)
    name = "epsilon" if mu is None else f"epsilon at delta {WEAK_DELTA:g}"
    return [
        Measure(
            "epsilon", name, judged_epsilon, max_epsilon, is_strong or accept_weak_privacy, _WEAK_HELP.format("epsilon")
        ),
        Measure("delta", "delta", delta, max_delta, delta <= max_delta, _WEAK_HELP.format("delta")),
    ]


def unprotected(space: EmbeddingSpace) -> float:
    """Return the share of words that are released without any guarantee, because they have no neighbour."""
    if space.neighbourhoods.isolated not in ("global", "exact"):
        return 0.0
    return float(space.neighbourhoods.was_isolated[space.point_of_word].mean())
