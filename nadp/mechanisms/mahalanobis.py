"""Elliptical noise along the embedding's own covariance (Xu et al. 2020)."""

from typing import ClassVar

import numpy as np
import numpy.typing as npt

from nadp.embeddings import Floats
from nadp.mechanisms.base import Guarantee, Kind, Mechanism, positive
from nadp.noise.research import NoiseFamily, base_draw
from nadp.space import EmbeddingSpace


class Mahalanobis(Mechanism):
    """Noise Gamma(d, 1/epsilon) Sigma^(1/2) u, u uniform on the sphere, Sigma = lambda d/trace(C) C + (1 - lambda) I.

    Args:
        regularisation: lambda, 0 <= lambda <= 1; the paper uses 1. Below 1 a singular covariance C is allowed.
    """

    name: ClassVar[str] = "mahalanobis"
    kind: ClassVar[Kind] = "metric DP"
    noise: ClassVar[NoiseFamily] = "mahalanobis"
    uses_graph: ClassVar[bool] = False

    def __init__(self, regularisation: float = 1.0) -> None:
        self.regularisation = regularisation

    def draw(self, space: EmbeddingSpace, rng: np.random.Generator) -> Floats:
        """Return Gamma(d, 1) Sigma^(1/2) u for all words, (n, d) float32."""
        return base_draw(self.noise, space.embeddings, rng, self.regularisation)

    def weights(self, space: EmbeddingSpace) -> npt.NDArray[np.float64]:
        """Return 1 for each word, (n,)."""
        return np.ones(len(space))

    def multiplier(self, epsilon: float, delta: float) -> float:
        """Return 1 / epsilon; delta plays no part."""
        del delta
        return 1 / positive(epsilon, "the Mahalanobis mechanism")

    def guarantee(self, space: EmbeddingSpace, epsilon: float, delta: float) -> Guarantee:
        """Return metric DP: its epsilon is another unit than that of the other mechanisms."""
        del space, delta
        return Guarantee(
            self.kind,
            None,
            f"two words at Mahalanobis distance r are ({positive(epsilon, self.name):g} r)-indistinguishable. "
            "This is not (epsilon, delta)-DP, and its epsilon cannot be compared with that of the others.",
        )
