"""What must hold before a number is drawn for publication: noise everywhere, one scale on an edge, epsilon not weak."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nadp.errors import InputError
from nadp.space import EmbeddingSpace

WEAK = 10.0
"""Above this epsilon, publication needs the user's explicit consent to weak privacy."""
_UNEVEN = "the share of edges with two scales"
_OTHERS = "choose isolated='nearest' or 'drop'"


@dataclass(frozen=True)
class Measure:
    """One measure that decides whether something may be published.

    Attributes:
        key: its name in certificates.
        name: what was measured, in words.
        value: what came out.
        limit: what it was compared with.
        passed: whether it allows publication.
        would_help: what to change if not.
    """

    key: str
    name: str
    value: float
    limit: float
    passed: bool
    would_help: str

    def __str__(self) -> str:
        return f"{self.name} is {self.value:.4g}, the limit {self.limit:.4g}: {self.would_help}"


class RefusedError(InputError):
    """Something that must not be published; the message names each measure that failed."""

    def __init__(self, measures: list[Measure]) -> None:
        self.measures = measures
        reasons = "; ".join(str(measure) for measure in measures if not measure.passed)
        super().__init__(f"not released: {reasons}")


def passed(measures: list[Measure]) -> list[Measure]:
    """Return measures if all of them allow publication.

    Raises:
        RefusedError: if one does not.
    """
    if not all(measure.passed for measure in measures):
        raise RefusedError(measures)
    return measures


def preconditions(
    space: EmbeddingSpace, scale: npt.NDArray[np.float64], epsilon: float, *, accept_weak_privacy: bool
) -> list[Measure]:
    """Return what can be measured before a number is drawn.

    Args:
        space: n words.
        scale: (n,) of each word's noise, up to a factor.
        epsilon: the claimed budget.
        accept_weak_privacy: whether an epsilon above 10 is meant.
    """
    return [*graph_measures(space, scale), budget_measure(epsilon, accept_weak_privacy=accept_weak_privacy)]


def graph_measures(space: EmbeddingSpace, scale: npt.NDArray[np.float64]) -> list[Measure]:
    """Return whether every word has noise and a guarantee, and the two ends of each edge the same noise.

    Args:
        space: n words.
        scale: (n,) of each word's noise, up to a factor.
    """
    ends = scale[space.embeddings.points.first_word][space.neighbourhoods.graph.edges]
    uneven = float((ends[:, 0] != ends[:, 1]).mean())
    exact = space.neighbourhoods.isolated == "exact"
    alone = float(space.neighbourhoods.was_isolated[space.embeddings.points.of_word].mean()) if exact else 0.0
    without = "the share of words that isolated='exact' leaves without a guarantee"
    return [
        Measure("share_without_guarantee", without, alone, 0.0, alone == 0, _OTHERS),
        noise_measure(scale[space.released]),
        Measure("share_of_uneven_edges", _UNEVEN, uneven, 0.0, uneven == 0, "choose mechanism='nadp'"),
    ]


def noise_measure(scale: npt.NDArray[np.float64]) -> Measure:
    """Return whether every published word gets noise, (m,) up to a factor."""
    silent = float((~(scale > 0)).mean())
    return Measure("share_without_noise", "the share of words without noise", silent, 0.0, silent == 0, _OTHERS)


def budget_measure(epsilon: float, *, accept_weak_privacy: bool) -> Measure:
    """Return whether a budget is no weak one, or is meant."""
    allowed = np.inf if accept_weak_privacy else WEAK
    weak = "choose a smaller epsilon, or accept weak privacy explicitly (accept_weak_privacy)"
    return Measure("epsilon", "epsilon", epsilon, allowed, epsilon <= allowed, weak)
