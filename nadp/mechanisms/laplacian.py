"""Laplace noise in every component of the vector."""

from typing import ClassVar

import numpy as np
import numpy.typing as npt

from nadp.mechanisms.base import Guarantee, Kind, Mechanism, positive
from nadp.noise.research import NoiseFamily
from nadp.space import EmbeddingSpace

_REFERENCE_SENSITIVITY = 151.7991981  # of the authors' own vectors, the same for every graph


class Laplacian(Mechanism):
    """I.i.d. Laplace noise of scale Delta_1 / epsilon, Delta_1 the graph's longest edge in L1 distance."""

    name: ClassVar[str] = "laplacian"
    kind: ClassVar[Kind] = "epsilon-DP"
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
            self.kind, 0.0, f"{positive(epsilon, self.name):g}-DP, delta 0, between words joined in the graph."
        )


class LaplacianReference(Laplacian):
    """The Laplace mechanism of the authors' code: scale 151.7991981 / epsilon, whatever the embedding."""

    name: ClassVar[str] = "laplacian-reference"
    kind: ClassVar[Kind] = "no guarantee"
    uses_graph: ClassVar[bool] = False

    def weights(self, space: EmbeddingSpace) -> npt.NDArray[np.float64]:
        """Return the constant for each word, (n,)."""
        return np.full(len(space), _REFERENCE_SENSITIVITY)

    def guarantee(self, space: EmbeddingSpace, epsilon: float, delta: float) -> Guarantee:
        """Return that the constant is a sensitivity of the authors' own vectors only."""
        del space, delta
        positive(epsilon, self.name)
        return Guarantee(
            self.kind, None, "no guarantee: the constant is the sensitivity of the authors' vectors, not of these."
        )
