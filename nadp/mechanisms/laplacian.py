"""Laplace noise in every component of the vector."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from nadp.errors import InputError
from nadp.mechanisms.base import Additive, positive
from nadp.mechanisms.guarantee import Between, Guarantee, Kind
from nadp.mechanisms.preconditions import budget_measures, graph_measures, passed, unprotected
from nadp.mechanisms.publication import LARGEST_DEVIATION, Publication, largest_number
from nadp.noise import LaplaceNoise, NoiseLaw
from nadp.noise.exponential import laplace_deviation
from nadp.noise.grid import grid_of
from nadp.space import EmbeddingSpace

_REFERENCE_SENSITIVITY = 151.7991981  # of the authors' own vectors, the same for every graph
_ROOM = 1.2  # reserve for noise added to cover the deviation, which grows with the noise: at most 1/9


@dataclass(frozen=True)
class Laplacian(Additive):
    """I.i.d. Laplace noise of scale Delta_1 / epsilon, where Delta_1 is the graph's longest edge in L1 distance."""

    name: ClassVar[str] = "laplacian"
    label: ClassVar[str] = "Laplacian"
    colour: ClassVar[str] = "#009E73"
    kind: ClassVar[Kind] = "epsilon-DP"
    encodable: ClassVar[bool] = True

    @property
    def noise(self) -> NoiseLaw:
        """Laplace noise."""
        return LaplaceNoise()

    def weights(self, space: EmbeddingSpace) -> npt.NDArray[np.float64]:
        """Return Delta_1 for each word, (n,)."""
        return np.full(len(space), space.global_l1_sensitivity)

    def multiplier(self, epsilon: float, delta: float) -> float:
        """Return 1 / epsilon; delta is not used."""
        del delta
        return 1 / positive(epsilon, "the Laplace mechanism")

    def guarantee(self, space: EmbeddingSpace, epsilon: float, delta: float) -> Guarantee:
        """Return the guarantee of pure DP."""
        del delta
        epsilon = positive(epsilon, self.name)
        isolated, unprotected_share = space.neighbourhoods.isolated, unprotected(space)
        return Guarantee(str(self), self.kind, epsilon, 0.0, 0.0, isolated=isolated, unprotected=unprotected_share)

    def publication(
        self,
        space: EmbeddingSpace,
        epsilon: float,
        delta: float | None = None,
        *,
        between: Between = "own graph",
        accept_weak_privacy: bool = False,
    ) -> Publication:
        """Return noise for publication; there is no delta."""
        if delta is not None:
            raise InputError(f"{self.name} noise has no delta: leave it out")
        epsilon = float(positive(epsilon, self.name))
        weights = self.weights(space)
        passed(graph_measures(space, weights))
        words = int(space.released.sum())
        passed(budget_measures(epsilon, 0.0, None, words, accept_weak_privacy=accept_weak_privacy))
        grid, dimension = grid_of(weights / epsilon), space.embeddings.dimension
        sampler_deviation = laplace_deviation(
            dimension, _ROOM * weights[0] / epsilon, grid, largest_number(space.vectors)
        )
        if not sampler_deviation.epsilon <= min(LARGEST_DEVIATION, epsilon / 10):
            raise InputError(
                f"the sampler may deviate by {sampler_deviation.epsilon:.3g} in epsilon: choose an epsilon above "
                f"{epsilon:g}"
            )
        multiplier = 1 / (epsilon - sampler_deviation.epsilon)
        guarantee = replace(self.guarantee(space, epsilon, 0.0), between=between)
        return Publication(guarantee, self.noise, multiplier, multiplier * weights, grid, sampler_deviation)


@dataclass(frozen=True)
class LaplacianReference(Laplacian):
    """The Laplace mechanism of the authors' code: scale 151.7991981 / epsilon for any embedding."""

    name: ClassVar[str] = "laplacian-reference"
    label: ClassVar[str] = "Laplacian, authors' code"
    colour: ClassVar[str] = "#66C2A5"
    kind: ClassVar[Kind] = "no guarantee"
    uses_graph: ClassVar[bool] = False
    encodable: ClassVar[bool] = False

    def weights(self, space: EmbeddingSpace) -> npt.NDArray[np.float64]:
        """Return the constant for each word, (n,)."""
        return np.full(len(space), _REFERENCE_SENSITIVITY)

    def guarantee(self, space: EmbeddingSpace, epsilon: float, delta: float) -> Guarantee:
        """Return no guarantee: the constant is the sensitivity of the authors' vectors only."""
        del space, delta
        reason = "the constant is the sensitivity of the authors' vectors, not of these"
        return Guarantee(str(self), self.kind, positive(epsilon, self.name), 0.0, reason=reason)
