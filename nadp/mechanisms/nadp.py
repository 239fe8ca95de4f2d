"""NADP, the paper's mechanism: Gaussian noise calibrated to each word's neighbourhood."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from nadp.mechanisms.gaussian import Gaussian
from nadp.space import EmbeddingSpace


@dataclass(frozen=True)
class Nadp(Gaussian):
    """N(0, (u* Delta_i)^2 I), where Delta_i is the longest edge of the word's component (Algorithm 3, Theorem 3)."""

    name: ClassVar[str] = "nadp"
    label: ClassVar[str] = "NADP"
    colour: ClassVar[str] = "#0072B2"
    curve_per_graph: ClassVar[bool] = True

    def weights(self, space: EmbeddingSpace) -> npt.NDArray[np.float64]:
        """Return Delta_i of each word, (n,)."""
        _ = space.neighbourhoods.global_sensitivity  # refuses a graph without edges
        return space.sensitivity

    def over(self, sensitivity: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return the sensitivities unchanged, (n,)."""
        return sensitivity
