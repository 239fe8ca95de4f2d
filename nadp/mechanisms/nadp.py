"""The paper's mechanism: Gaussian noise sized by each word's neighbourhood."""

from typing import ClassVar

import numpy as np
import numpy.typing as npt

from nadp.calibration import noise_multiplier, privacy_profile
from nadp.mechanisms.base import Guarantee, Mechanism
from nadp.space import EmbeddingSpace

_ISOLATED = {
    "nearest": "every word has at least one neighbour.",
    "global": "words alone in the graph get noise too, but have no neighbour, so nothing is promised for them.",
    "drop": "words alone in the graph are not released.",
    "exact": "words alone in the graph get NO noise and are released as they are.",
}


class Nadp(Mechanism):
    """N(0, (u* Delta_i)^2 I), Delta_i the longest edge of the word's component (Algorithm 3, Theorem 3)."""

    name: ClassVar[str] = "nadp"

    def weights(self, space: EmbeddingSpace) -> npt.NDArray[np.float64]:
        """Return Delta_i of each word, (n,)."""
        _ = space.neighbourhoods.global_sensitivity  # refuses a graph without edges
        return space.sensitivity

    def multiplier(self, epsilon: float, delta: float) -> float:
        """Return u*."""
        return noise_multiplier(epsilon, delta)

    def guarantee(self, space: EmbeddingSpace, epsilon: float, delta: float) -> Guarantee:
        """Return Theorem 3."""
        statement = (
            f"({epsilon:g}, {delta:.3g})-DP for one word replaced by a word it is joined to in the neighbour graph; "
            + _ISOLATED[space.neighbourhoods.isolated]
        )
        return Guarantee("(epsilon, delta)-DP", privacy_profile(epsilon, noise_multiplier(epsilon, delta)), statement)
