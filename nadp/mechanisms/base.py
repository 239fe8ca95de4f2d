"""What a mechanism is: M(x) = x + c(epsilon) w(x) n, with a draw n that knows nothing of epsilon.

One unscaled base draw of a noise family therefore serves every epsilon, and every mechanism of that family.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt

from nadp.embeddings import Embeddings, Floats
from nadp.errors import InputError
from nadp.noise.research import NoiseFamily, base_draw
from nadp.space import EmbeddingSpace

Kind = Literal["(epsilon, delta)-DP", "epsilon-DP", "metric DP", "no guarantee"]


@dataclass(frozen=True)
class Guarantee:
    """What a mechanism promises at one epsilon.

    Attributes:
        kind: the notion of privacy.
        delta: the least delta that the noise really reaches at this epsilon; None where there is no such figure.
        statement: the promise in words, with its limits.
    """

    kind: Kind
    delta: float | None
    statement: str


class Mechanism(ABC):
    """A way to add noise to the words of an embedding space.

    Attributes:
        name: as in MECHANISMS.
        noise: the family of the base draw.
        kind: the notion of privacy that it is meant to reach.
        uses_graph: whether it depends on the neighbour graph, hence on tau and on the policy for isolated words.
    """

    name: ClassVar[str]
    noise: ClassVar[NoiseFamily] = "gaussian"
    kind: ClassVar[Kind] = "(epsilon, delta)-DP"
    uses_graph: ClassVar[bool] = True

    @abstractmethod
    def weights(self, space: EmbeddingSpace) -> npt.NDArray[np.float64]:
        """Return w(x), the noise of each word relative to the others, (n,)."""

    @abstractmethod
    def multiplier(self, epsilon: float, delta: float) -> float:
        """Return c(epsilon).

        Raises:
            InputError: if epsilon or delta is out of the mechanism's range.
        """

    @abstractmethod
    def guarantee(self, space: EmbeddingSpace, epsilon: float, delta: float) -> Guarantee:
        """Return what holds at this epsilon."""

    def draw(self, space: EmbeddingSpace, rng: np.random.Generator) -> Floats:
        """Return an unscaled base draw n for all words, (n, d) float32."""
        return base_draw(self.noise, space.embeddings, rng)

    def noise_scale(self, space: EmbeddingSpace, epsilon: float, delta: float) -> npt.NDArray[np.float64]:
        """Return the scale of each word's noise, (n,): the standard deviation, or the Laplace scale."""
        return self.multiplier(epsilon, delta) * self.weights(space)

    def perturb(self, space: EmbeddingSpace, epsilon: float, delta: float, rng: np.random.Generator) -> Embeddings:
        """Return M(x) for every word that is released (Algorithm 3 for NADP). For research: the noise is seeded.

        Args:
            space: n words.
            epsilon: privacy budget.
            delta: probability of failure.
            rng: the source of the base draw.
        """
        noisy = perturbed(space.vectors, self.draw(space, rng), self.noise_scale(space, epsilon, delta))
        rows = np.flatnonzero(space.released)
        return Embeddings(space.embeddings.words[rows], noisy[rows])


def perturbed(vectors: Floats, draw: Floats, scale: npt.NDArray[np.float64]) -> Floats:
    """Return x + scale n in float32, for (n, d) vectors, an (n, d) base draw and an (n,) scale."""
    return vectors + draw * scale.astype(np.float32)[:, None]


def positive(epsilon: float, name: str) -> float:
    """Return epsilon if it can be divided by."""
    if not (0 < epsilon < np.inf):
        raise InputError(f"{name} divides by epsilon: it must be above 0 and finite, not {epsilon!r}")
    return epsilon
