"""What must hold before a number is drawn for publication: noise everywhere, one scale on an edge, epsilon not weak."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nadp.errors import InputError
from nadp.space import EmbeddingSpace

WEAK = 10.0
"""Above this epsilon, publication needs the user's explicit consent to weak privacy."""


@dataclass(frozen=True)
class Measure:
    """One measure that decides whether something may be published.

    Attributes:
        name: what was measured.
        value: what came out.
        limit: what it was compared with.
        passed: whether it allows publication.
        would_help: what to change if not.
    """

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
    released = space.released
    silent = float((~(scale[released] > 0)).mean())
    ends = scale[space.embeddings.points.first_word][space.neighbourhoods.graph.edges]
    uneven = float((ends[:, 0] != ends[:, 1]).mean())
    allowed = np.inf if accept_weak_privacy else WEAK
    exact = space.neighbourhoods.isolated == "exact"
    alone = float(space.neighbourhoods.was_isolated[space.embeddings.points.of_word].mean()) if exact else 0.0
    others = "choose isolated='nearest' or 'drop'"
    weak = "choose a smaller epsilon, or accept weak privacy explicitly (accept_weak_privacy)"
    return [
        Measure("the share of words that isolated='exact' leaves without a guarantee", alone, 0.0, alone == 0, others),
        Measure("the share of words without noise", silent, 0.0, silent == 0, others),
        Measure("the share of edges with two scales", uneven, 0.0, uneven == 0, "choose mechanism='nadp'"),
        Measure("epsilon", epsilon, allowed, epsilon <= allowed, weak),
    ]
