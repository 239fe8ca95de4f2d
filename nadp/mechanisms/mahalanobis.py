"""Elliptical noise along the embedding's own covariance (Xu et al. 2020)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from nadp.errors import InputError
from nadp.mechanisms.base import Additive, positive
from nadp.mechanisms.guarantee import Between, Guarantee, Kind
from nadp.mechanisms.publication import Publication
from nadp.noise import MahalanobisNoise, NoiseLaw
from nadp.noise.grid import grid_of
from nadp.noise.normal import Deviation
from nadp.space import EmbeddingSpace


@dataclass(frozen=True)
class Mahalanobis(Additive):
    """Noise Gamma(d, 1/epsilon) Sigma^(1/2) u, with u uniform on the sphere.

    Sigma = lambda d/trace(C) C + (1 - lambda) I, where C is the covariance.

    Args:
        regularisation: lambda, 0 <= lambda <= 1; the paper uses 1. Below 1 a singular covariance C is allowed.
    """

    regularisation: float = 1.0
    name: ClassVar[str] = "mahalanobis"
    label: ClassVar[str] = "Mahalanobis"
    colour: ClassVar[str] = "#CC79A7"
    kind: ClassVar[Kind] = "metric DP"
    uses_graph: ClassVar[bool] = False
    encodable: ClassVar[bool] = True
    warning: ClassVar[str | None] = (
        "Mahalanobis noise has metric DP, whose epsilon is in another unit: compare it at equal recovery only."
    )

    def __post_init__(self) -> None:
        _ = self.noise  # refuses a regularisation out of range

    @property
    def noise(self) -> NoiseLaw:
        """Mahalanobis noise of this regularisation."""
        return MahalanobisNoise(self.regularisation)

    def weights(self, space: EmbeddingSpace) -> npt.NDArray[np.float64]:
        """Return 1 for each word, (n,)."""
        return np.ones(len(space))

    def multiplier(self, epsilon: float, delta: float) -> float:
        """Return 1 / epsilon; delta is not used."""
        del delta
        return 1 / positive(epsilon, "the Mahalanobis mechanism")

    def guarantee(self, space: EmbeddingSpace, epsilon: float, delta: float) -> Guarantee:
        """Return the guarantee of metric DP; its epsilon has another unit than the other mechanisms' epsilon."""
        del space, delta
        return Guarantee(str(self), self.kind, positive(epsilon, self.name), 0.0)

    def publication(
        self,
        space: EmbeddingSpace,
        epsilon: float,
        delta: float | None = None,
        *,
        between: Between = "own graph",
        accept_weak_privacy: bool = False,
    ) -> Publication:
        """Return noise for publication; there is no delta, and epsilon is per unit of Mahalanobis distance."""
        del accept_weak_privacy  # epsilon is in another unit here, so no limit would be meaningful
        if delta is not None:
            raise InputError(f"{self.name} noise has no delta: leave it out")
        multiplier, law = self.multiplier(float(epsilon), 0.0), self.noise.fitted(space.embeddings)
        scale = multiplier * self.weights(space)
        guarantee = Guarantee(str(self), self.kind, float(epsilon), 0.0, between=between)
        return Publication(guarantee, law, multiplier, scale, grid_of(law.narrowest(scale)), Deviation(0.0, 0.0))
