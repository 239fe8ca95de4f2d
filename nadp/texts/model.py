"""The posterior of each word given a noisy vector, for decoders and attackers."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.special import softmax

from nadp.attacks.likelihood import likeliest
from nadp.embeddings import Floats, Ids, Points
from nadp.noise import GridNoise
from nadp.runtime.parallel import for_blocks
from nadp.search.decoding import block_rows
from nadp.search.kernels import posterior_weights
from nadp.texts.group_code import GroupCode, GroupModel

Floats64 = npt.NDArray[np.float64]


def model_of(noise: GridNoise | GroupCode, points: Points) -> "NoiseModel | GroupModel":
    """Return a model of how probable each distinct vector is, given the output of an encoder."""
    return GroupModel(noise, points) if isinstance(noise, GroupCode) else NoiseModel(noise, points)


@dataclass(frozen=True, eq=False)
class NoiseModel:
    """The noise of tokens over the p distinct vectors of an encoder.

    Attributes:
        noise: the noise of each word.
        points: the distinct vectors.
    """

    noise: GridNoise
    points: Points

    def most_likely(self, noisy: Floats, factor: float, prior: Floats64 | None = None) -> Ids:
        """Return the most probable point of each noisy vector, (q,).

        Args:
            noisy: (q, d) noisy vectors.
            factor: the factor by which their noise is enlarged.
            prior: (p,) probability of each point; uniform by default.
        """
        priors = [] if prior is None else [prior]
        law = self.noise.law
        return likeliest(law, self._white_points, factor * self._scale, law.whitened(noisy), *priors)[-1]

    def posterior_means(self, noisy: Floats, factor: float, prior: Floats64 | None = None) -> Floats:
        """Return the posterior mean vector given each noisy vector, (q, d); parameters as for most_likely."""
        offset = np.zeros(len(self.points)) if prior is None else np.log(prior)
        means = np.empty(noisy.shape, dtype=np.float32)
        vectors = self.points.vectors.astype(np.float64)
        weights = self._gaussian_weights if self.noise.law.exponent == 2 else self._weights

        def work(block: slice) -> None:
            means[block] = weights(noisy[block], factor, offset) @ vectors

        for_blocks(work, len(noisy), block_rows(len(self.points)), "posterior means")
        return means

    def _gaussian_weights(self, noisy: Floats, factor: float, offset: Floats64) -> Floats64:
        """Return the probability of each point given each noisy vector, (q, p), for Gaussian noise."""
        scale, y, vectors = factor * self._scale, noisy.astype(np.float64), self._wide_points
        weights: Floats64 = y @ vectors.T
        log_weights = offset - y.shape[1] * np.log(scale)
        posterior_weights(weights, np.einsum("ij,ij->i", y, y), self._squares, 1 / (2 * scale**2), log_weights)
        return weights

    def _weights(self, noisy: Floats, factor: float, offset: Floats64) -> Floats64:
        """Return the probability of each point given each noisy vector, (q, p), for any noise."""
        return softmax(self.log_likelihoods(noisy, factor) + offset, axis=1)

    def log_likelihoods(self, noisy: Floats, factor: float) -> Floats64:
        """Return the log density of each noisy vector, given each point, (q, p).

        It is exact up to a constant that is the same for all points.
        """
        y = self.noise.law.whitened(noisy).astype(np.float64, copy=False)
        return self.noise.law.log_density(y, self._wide_points, factor * self._scale)

    @cached_property
    def _scale(self) -> Floats64:
        """(p,) noise scale of each point."""
        return self.noise.scale[self.points.first_word]

    @cached_property
    def _white_points(self) -> npt.NDArray[np.floating]:
        return self.noise.law.whitened(self.points.vectors)

    @cached_property
    def _wide_points(self) -> Floats64:
        return self._white_points.astype(np.float64)

    @cached_property
    def _squares(self) -> Floats64:
        return np.einsum("ij,ij->i", self._wide_points, self._wide_points)
