"""Two releases of the same words must not share noise: y1 = x + s1 z and y2 = x + s2 z together reveal x."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr


@dataclass(frozen=True)
class NoiseCorrelation:
    """Correlation between the noise of two releases.

    Attributes:
        values: number of words that have noise in both.
        correlation: 0 for independent noise, 1 for one draw used twice.
        p_value: probability of at least this absolute correlation if the noise is independent.
    """

    values: int
    correlation: float
    p_value: float


def noise_correlation(
    vectors: npt.NDArray[np.floating], one: npt.NDArray[np.floating], other: npt.NDArray[np.floating]
) -> NoiseCorrelation:
    """Return how strongly the noise of two releases (n, d) of the vectors (n, d) is correlated.

    Each word's noise is first scaled to length 1, so that words with much noise do not outweigh the others. The mean
    cosine is compared with its own standard error, so the noise may have any distribution.
    """
    first, second = (_directions(release - vectors.astype(np.float64)) for release in (one, other))
    noisy = (first.any(axis=1)) & (second.any(axis=1))
    cosines = np.einsum("ij,ij->i", first[noisy], second[noisy])
    if len(cosines) < 2:
        return NoiseCorrelation(0, float("nan"), float("nan"))
    mean, error = float(cosines.mean()), float(cosines.std(ddof=1) / np.sqrt(len(cosines)))
    deviation = abs(mean) / error if error > 0 else np.inf if mean else 0.0
    return NoiseCorrelation(len(cosines), mean, float(2 * stdtr(max(1, len(cosines) - 1), -deviation)))


def _directions(noise: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    lengths = np.linalg.norm(noise, axis=1, keepdims=True)
    return np.divide(noise, lengths, out=np.zeros(noise.shape), where=lengths > 0)
