"""Laplace noise in every component."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import ndtri

from nadp.embeddings import Floats
from nadp.noise.exponential import ASSUMED, standard_laplace
from nadp.noise.law import Floats64, NoiseLaw
from nadp.noise.uniform import Bytes


@dataclass(frozen=True)
class LaplaceNoise(NoiseLaw):
    """Independent Laplace numbers."""

    name: ClassVar[str] = "laplace"
    order: ClassVar[int] = 1
    exponent: ClassVar[int] = 1
    assumed: ClassVar[str] = ASSUMED

    def draw(self, n: int, d: int, rng: np.random.Generator) -> Floats:
        """Return Laplace numbers of scale 1, (n, d) float32."""
        return rng.laplace(size=(n, d)).astype(np.float32)

    def standard(self, n: int, d: int, random_bytes: Bytes) -> Floats64:
        """Return Laplace numbers of scale 1, (n, d)."""
        return standard_laplace(n * d, random_bytes).reshape(n, d)

    def directions(self, noise: Floats64, scale: Floats64) -> Floats64:
        """Return the directions of the normal scores of the noise, (q, d)."""
        tail = np.exp(-np.abs(noise) / scale[:, None]) / 2
        scores = np.copysign(ndtri(tail.clip(min=np.finfo(float).tiny)), noise)
        return super().directions(scores, scale)

    def mean_square(self, d: int) -> float:
        """Return 2 d."""
        return 2.0 * d

    def standardised(self, noise: Floats64, scale: Floats64) -> tuple[Floats64, Any]:
        """Return the single numbers, and the Laplace law."""
        from scipy.stats import laplace  # noqa: PLC0415 - slow to import, and needed by audits only

        return (noise / scale[:, None]).ravel(), laplace()
