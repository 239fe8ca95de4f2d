"""Laplace noise in every component of the vector."""

from typing import ClassVar

import numpy as np
import numpy.typing as npt

from nadp.mechanisms.base import Guarantee, Mechanism, positive
from nadp.mechanisms.noise import NoiseFamily
from nadp.space import EmbeddingSpace

_REFERENCE_SENSITIVITY = 151.7991981  # of the authors' own vectors, the same for every graph


class Laplacian(Mechanism):
    """I.i.d. Laplace noise of scale Delta_1 / epsilon, Delta_1 the graph's longest edge in L1 distance."""

    name: ClassVar[str] = "laplacian"
    noise: ClassVar[NoiseFamily] = "laplace"

    def weights(self, space: EmbeddingSpace) -> npt.NDArray[np.float64]:
        """Return Delta_1 for each word, (n,)."""
        return np.full(len(space), space.global_l1_sensitivity)

    def multiplier(self, epsilon: float, delta: float) -> float:
        """Return 1 / epsilon; delta plays no part."""
        del delta
        return 1 / positive(epsilon, "the Laplace mechanism")

    def guarantee(self, space: EmbeddingSpace, epsilon: float, delta: float) -> Guarantee:
        """Return pure DP."""
        del space, delta
        return Guarantee(
            "epsilon-DP", 0.0, f"{positive(epsilon, self.name):g}-DP, delta 0, between words joined in the graph."
        )


class LaplacianReference(Laplacian):
    """The Laplace mechanism of the authors' code: scale 151.7991981 / epsilon, whatever the embedding."""

    name: ClassVar[str] = "laplacian-reference"
    uses_graph: ClassVar[bool] = False

    def weights(self, space: EmbeddingSpace) -> npt.NDArray[np.float64]:
        """Return the constant for each word, (n,)."""
        return np.full(len(space), _REFERENCE_SENSITIVITY)

    def guarantee(self, space: EmbeddingSpace, epsilon: float, delta: float) -> Guarantee:
        """Return what the constant is worth on this graph."""
        del delta
        reached = epsilon * space.global_l1_sensitivity / _REFERENCE_SENSITIVITY
        return Guarantee("epsilon-DP", 0.0, f"{reached:.3g}-DP between words joined in the graph, delta 0.")
