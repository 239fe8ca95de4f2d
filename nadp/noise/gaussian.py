"""Gaussian noise."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from nadp.embeddings import Floats
from nadp.noise.law import Floats64, NoiseLaw
from nadp.noise.normal import ASSUMED, standard_normal
from nadp.noise.uniform import Bytes


@dataclass(frozen=True)
class GaussianNoise(NoiseLaw):
    """N(0, scale^2 I)."""

    name: ClassVar[str] = "gaussian"
    order: ClassVar[int] = 2
    exponent: ClassVar[int] = 2
    assumed: ClassVar[str] = ASSUMED

    def draw(self, n: int, d: int, rng: np.random.Generator) -> Floats:
        """Return standard normal numbers, (n, d) float32."""
        return rng.standard_normal((n, d), dtype=np.float32)

    def standard(self, n: int, d: int, random_bytes: Bytes) -> Floats64:
        """Return standard normal numbers, (n, d)."""
        return standard_normal(n * d, random_bytes).reshape(n, d)

    def mean_square(self, d: int) -> float:
        """Return d."""
        return float(d)

    def standardised(self, noise: Floats64, scale: Floats64) -> tuple[Floats64, Any]:
        """Return the single numbers, and the normal law."""
        from scipy.stats import norm  # noqa: PLC0415 - slow to import, and needed by audits only

        return (noise / scale[:, None]).ravel(), norm()

    def log_density(self, y: Floats64, points: Floats64, scale: Floats64) -> Floats64:
        """Return -|y - x|^2 / (2 scale^2) - d log scale by one matrix product, (q, p)."""
        y, points = y.astype(np.float64), points.astype(np.float64)
        squares = np.einsum("ij,ij->i", points, points)
        squared = np.einsum("ij,ij->i", y, y)[:, None] + squares - 2 * (y @ points.T)
        return -squared / (2 * scale**2) - y.shape[1] * np.log(scale)
