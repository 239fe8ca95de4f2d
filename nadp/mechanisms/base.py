"""Mechanisms: additive noise M(x) = x + c(epsilon) w(x) n, or a fixed table.

The draw n of additive noise does not depend on epsilon. So one unscaled base draw of a noise law serves every epsilon
and every mechanism with this law. Mechanisms are small values: a name and parameters.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from nadp.embeddings import Embeddings, Floats
from nadp.errors import InputError
from nadp.mechanisms.guarantee import Between, Guarantee, Kind
from nadp.mechanisms.publication import Publication
from nadp.noise import GaussianNoise, NoiseLaw, base_draw
from nadp.space import EmbeddingSpace


@dataclass(frozen=True)
class Mechanism(ABC):
    """A way to make the vectors of an embedding space private. Its dataclass fields are its parameters.

    Attributes:
        name: as in MECHANISMS.
        label: its name in figures and tables.
        colour: colour of its lines, the same in every figure.
        kind: the notion of privacy that it aims for.
        parameter: the parameter whose values are the settings of a curve.
        uses_graph: whether it depends on the neighbour graph, and so on tau and the policy for isolated words.
        curve_per_graph: whether each graph of an experiment gives it a separate curve.
        publishable: whether releases may be made with it.
        encodable: whether texts may be encoded with it.
        warning: for readers of its figures, if any.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    colour: ClassVar[str]
    kind: ClassVar[Kind]
    parameter: ClassVar[str] = "epsilon"
    uses_graph: ClassVar[bool] = True
    curve_per_graph: ClassVar[bool] = False
    publishable: ClassVar[bool] = False
    encodable: ClassVar[bool] = False
    warning: ClassVar[str | None] = None

    def __str__(self) -> str:
        """Return the name and the non-default parameters, such as "mahalanobis(regularisation=0.5)"."""
        parameters = [f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if getattr(self, f.name) != f.default]
        return self.name + (f"({', '.join(parameters)})" if parameters else "")

    @classmethod
    def of(cls, parameters: dict[str, str]) -> Self:
        """Return the mechanism with numeric parameters given as text.

        Raises:
            InputError: if a parameter is unknown or not a number.
        """
        known: dict[str, Callable[[str], Any]] = {f.name: float for f in fields(cls)}
        for name, value in parameters.items():
            if name not in known:
                raise InputError(f"{cls.name} has no parameter {name!r}; it has: {', '.join(known) or 'none'}")
            try:
                known[name](value)
            except ValueError as error:
                raise InputError(f"{name} of {cls.name} must be a number, not {value!r}") from error
        arguments: Any = {name: known[name](value) for name, value in parameters.items()}
        return cls(**arguments)

    @abstractmethod
    def check(self, setting: float, delta: float) -> None:
        """Refuse a setting that the mechanism does not support for any embedding.

        Raises:
            InputError: if the setting or delta is out of range.
        """

    @abstractmethod
    def guarantee(self, space: EmbeddingSpace, epsilon: float, delta: float) -> Guarantee:
        """Return the guarantee at a setting, between neighbours in the space's own graph."""

    def publication(
        self,
        space: EmbeddingSpace,
        epsilon: float,
        delta: float | None = None,
        *,
        between: Between = "own graph",
        accept_weak_privacy: bool = False,
    ) -> Publication:
        """Return noise for publication, calibrated to a guarantee that includes all deviations of the sampler.

        Args:
            space: n words.
            epsilon: privacy budget; for metric DP, per unit of distance.
            delta: probability of failure; None for the default, or for noise without delta.
            between: the scope of the guarantee.
            accept_weak_privacy: whether the user accepts an epsilon above 10.

        Raises:
            RefusedError: if a word would get no noise, neighbours would get different noise, or epsilon is too large.
            InputError: if a parameter is out of range, or the mechanism is for research only.
        """
        del space, epsilon, delta, between, accept_weak_privacy
        raise InputError(f"{self.name} is for research only: do not publish with it")


@dataclass(frozen=True)
class Additive(Mechanism):
    """Noise that is added to each word's vector."""

    @property
    def noise(self) -> NoiseLaw:
        """The law of the noise, not yet fitted to an embedding."""
        return GaussianNoise()

    @abstractmethod
    def weights(self, space: EmbeddingSpace) -> npt.NDArray[np.float64]:
        """Return w(x), the relative noise scale of each word, (n,)."""

    @abstractmethod
    def multiplier(self, epsilon: float, delta: float) -> float:
        """Return c(epsilon).

        Raises:
            InputError: if epsilon or delta is out of the mechanism's range.
        """

    def check(self, setting: float, delta: float) -> None:
        """Refuse an epsilon that the mechanism does not support."""
        self.multiplier(setting, delta)

    def noise_scale(self, space: EmbeddingSpace, epsilon: float, delta: float) -> npt.NDArray[np.float64]:
        """Return the scale of each word's noise, (n,), in the unit of its law."""
        return self.multiplier(epsilon, delta) * self.weights(space)

    def perturb(self, space: EmbeddingSpace, epsilon: float, delta: float, rng: np.random.Generator) -> Embeddings:
        """Return M(x) for every word that is released (Algorithm 3 for NADP). For research: the noise is seeded.

        Args:
            space: n words.
            epsilon: privacy budget.
            delta: probability of failure.
            rng: the source of the base draw.
        """
        draw = base_draw(self.noise, space.embeddings, rng)
        noisy = perturbed(space.vectors, draw, self.noise_scale(space, epsilon, delta))
        rows = np.flatnonzero(space.released)
        return Embeddings(space.embeddings.words[rows], noisy[rows])


@dataclass(frozen=True)
class FixedTable(Mechanism):
    """A released table that is computed from the vectors, without additive noise."""

    @abstractmethod
    def table(self, space: EmbeddingSpace, setting: float) -> Floats:
        """Return the released vector of each word at a value of the mechanism's parameter, (n, d) float32."""


def perturbed(vectors: Floats, draw: Floats, scale: npt.NDArray[np.float64]) -> Floats:
    """Return x + scale n in float32, for (n, d) vectors, an (n, d) base draw and an (n,) scale."""
    return vectors + draw * scale.astype(np.float32)[:, None]


def positive(epsilon: float, name: str) -> float:
    """Return epsilon if it is above 0 and finite.

    Raises:
        InputError: if it is not.
    """
    if not (0 < epsilon < np.inf):
        raise InputError(f"{name} divides by epsilon: it must be above 0 and finite, not {epsilon!r}")
    return epsilon
