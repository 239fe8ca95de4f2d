"""Laws of noise: how to draw it, and what attackers and auditors compute from it.

In whitened coordinates, the density of noise z of scale s is proportional to s^-d exp(-(|z| / s)^exponent / exponent).
Here |z| is the norm of the given order. Order and exponent together determine the likelihood of a word and the law of
the noise size.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from nadp.embeddings import Embeddings, Floats
from nadp.noise.uniform import Bytes

Floats64 = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class NoiseSizes:
    """The size of each word's noise: a number that is Gamma(shape) distributed if its scale is as claimed.

    Attributes:
        values: (q,) (|z| / scale)^exponent / exponent of whitened noise z.
        shape: shape of the Gamma distribution, which is also the mean.
        power: the scale of the noise is proportional to this power of the value.
    """

    values: Floats64
    shape: float
    power: float


class NoiseLaw(ABC):
    """A law of noise, up to its scale. Instances are small values; `fitted` adapts them to an embedding.

    Attributes:
        name: as in LAWS.
        order: order of the norm in the density, 1 or 2.
        exponent: exponent of that norm in the density, 1 or 2.
        assumed: assumption of the bound on the deviation of `standard`; empty if there is no such bound.
    """

    name: ClassVar[str]
    order: ClassVar[int]
    exponent: ClassVar[int]
    assumed: ClassVar[str] = ""

    @property
    def key(self) -> str:
        """Name and parameters; each key has its own stream of research draws."""
        return self.name

    def fitted(self, embeddings: Embeddings) -> Self:
        """Return the law for the vectors of an embedding; most laws do not depend on them."""
        del embeddings
        return self

    @abstractmethod
    def draw(self, n: int, d: int, rng: np.random.Generator) -> Floats:
        """Return seeded noise of scale 1 for research, (n, d) float32. Not for publication."""

    @abstractmethod
    def standard(self, n: int, d: int, random_bytes: Bytes) -> Floats64:
        """Return noise of scale 1 for publication, (n, d), from random bytes without a seed."""

    @abstractmethod
    def mean_square(self, d: int) -> float:
        """Return the expected squared Euclidean norm of noise of scale 1 in d dimensions."""

    @abstractmethod
    def standardised(self, noise: Floats64, scale: Floats64) -> tuple[Floats64, Any]:
        """Return independent numbers from whitened noise (q, d) of scale (q,), and their law (as of scipy.stats)."""

    def whitened(self, vectors: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
        """Return vectors (q, d) in whitened coordinates, in which the noise is isotropic (for its norm)."""
        return vectors

    def directions(self, noise: Floats64, scale: Floats64) -> Floats64:
        """Return vectors of length 1 that are uniform on the sphere if whitened noise (q, d) has this law, (q, d)."""
        del scale
        return noise / np.linalg.norm(noise, axis=1, keepdims=True)

    def narrowest(self, scale: Floats64) -> Floats64:
        """Return the least standard deviation, over all directions, of noise of some scales, up to a factor of 2."""
        return scale

    def sizes(self, noise: Floats64, scale: Floats64) -> NoiseSizes:
        """Return the size of each word's noise.

        Args:
            noise: (q, d), whitened.
            scale: (q,) claimed, above 0.
        """
        length = np.linalg.norm(noise, ord=self.order, axis=1) / scale
        return NoiseSizes(length**self.exponent / self.exponent, noise.shape[1] / self.exponent, 1 / self.exponent)

    def log_density(self, y: Floats64, points: Floats64, scale: Floats64) -> Floats64:
        """Return the logarithm of the density of y (q, d) around each of p points, (q, p), up to a constant.

        Args:
            y: (q, d), whitened.
            points: (p, d), whitened.
            scale: (p,) of the noise of each point.
        """
        from scipy.spatial.distance import cdist  # noqa: PLC0415 - slow to import

        distance = cdist(y, points, "minkowski", p=self.order) / scale
        return -(distance**self.exponent) / self.exponent - y.shape[1] * np.log(scale)

    def arrays(self) -> dict[str, npt.NDArray[np.float64]]:
        """Return the arrays that `fitted` added, by name."""
        return {}

    def restored(self, arrays: Mapping[str, npt.NDArray[np.float64]]) -> Self:
        """Return the fitted law from the arrays that `arrays` returned."""
        del arrays
        return self
