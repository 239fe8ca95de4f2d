"""The laws of the three families of noise, as far as an auditor needs them.

Noise of the Mahalanobis family is long in some directions and short in others: in coordinates in which it is not
("straight" ones) its density depends on its length alone, as that of the others does on a norm of theirs.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nadp.mechanisms import NoiseFamily
from nadp.noise.research import mahalanobis_root
from nadp.space import EmbeddingSpace

Floats64 = npt.NDArray[np.float64]
ORDER: dict[NoiseFamily, int] = {"gaussian": 2, "laplace": 1, "mahalanobis": 2}
"""Which norm of the (straight) noise its density depends on: the sum of absolute values, or the Euclidean length."""


def straight(family: NoiseFamily, space: EmbeddingSpace, vectors: npt.NDArray[np.floating]) -> Floats64:
    """Return vectors (q, d) in coordinates in which the noise is alike in all directions."""
    if family != "mahalanobis":
        return vectors.astype(np.float64)
    root = mahalanobis_root(space.embeddings.covariance, 1.0)
    return np.linalg.solve(root, vectors.T.astype(np.float64)).T.astype(np.float64)


@dataclass(frozen=True, eq=False)
class NoiseSizes:
    """How much noise each word has, as a number that is Gamma(shape) distributed if its scale is as claimed.

    Attributes:
        values: (q,) |z|^2 / (2 sigma^2) of Gaussian noise z, |z|_1 / scale of Laplace, |z| / scale of (straight)
            Mahalanobis noise.
        shape: of the Gamma distribution, which is also the mean.
        power: the scale of the noise is proportional to this power of the value.
    """

    values: Floats64
    shape: float
    power: float


def noise_sizes(family: NoiseFamily, noise: Floats64, scale: Floats64) -> NoiseSizes:
    """Return how much noise each word has.

    Args:
        family: of the noise.
        noise: (q, d), straight.
        scale: (q,) claimed, above 0.
    """
    d = noise.shape[1]
    if family == "gaussian":
        return NoiseSizes(np.einsum("ij,ij->i", noise, noise) / (2 * scale**2), d / 2, 0.5)
    return NoiseSizes(np.linalg.norm(noise, ord=ORDER[family], axis=1) / scale, float(d), 1.0)
