"""How probable each word is, given a noisy vector: what decoders and attackers compute."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import cdist
from scipy.special import softmax

from nadp.attacks.likelihood import most_likely, most_likely_by_norm
from nadp.embeddings import Floats, Ids, Points
from nadp.noise.laws import ORDER
from nadp.runtime.parallel import for_blocks
from nadp.search.decoding import block_rows
from nadp.search.kernels import posterior_weights
from nadp.texts.token_noise import TokenNoise

Floats64 = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class NoiseModel:
    """The noise of tokens over the p distinct vectors of an encoder.

    Attributes:
        noise: of each word.
        points: the distinct vectors.
    """

    noise: TokenNoise
    points: Points

    def most_likely(self, noisy: Floats, factor: float, prior: Floats64 | None = None) -> Ids:
        """Return the most probable point of each noisy vector, (q,).

        Args:
            noisy: (q, d).
            factor: by which their noise is larger than usual.
            prior: (p,) how probable each point is without looking; default all alike.
        """
        scale = factor * self._scale
        if self.noise.family == "gaussian":
            return most_likely(self.points.vectors, scale, noisy, *([] if prior is None else [prior]))[-1]
        order = ORDER[self.noise.family]
        return most_likely_by_norm(self._straight_points, self._straight(noisy), float(scale[0]), order, prior)

    def posterior_means(self, noisy: Floats, factor: float, prior: Floats64 | None = None) -> Floats:
        """Return the mean of all points by their probability given each noisy vector, (q, d); see most_likely."""
        offset = np.zeros(len(self.points)) if prior is None else np.log(prior)
        found = np.empty(noisy.shape, dtype=np.float32)
        vectors = self.points.vectors.astype(np.float64)
        weights = self._gaussian_weights if self.noise.family == "gaussian" else self._weights

        def work(block: slice) -> None:
            found[block] = weights(noisy[block], factor, offset) @ vectors

        for_blocks(work, len(noisy), block_rows(len(self.points)), "posterior means")
        return found

    def _gaussian_weights(self, noisy: Floats, factor: float, offset: Floats64) -> Floats64:
        """Return the probability of each point given each noisy vector, (q, p), for Gaussian noise."""
        scale, y = factor * self._scale, noisy.astype(np.float64)
        found: Floats64 = y @ self._straight_points.T
        known = offset - y.shape[1] * np.log(scale)
        posterior_weights(found, np.einsum("ij,ij->i", y, y), self._squares, 1 / (2 * scale**2), known)
        return found

    def _weights(self, noisy: Floats, factor: float, offset: Floats64) -> Floats64:
        """Return the same for any noise."""
        return softmax(self.log_likelihoods(noisy, factor) + offset, axis=1)

    def log_likelihoods(self, noisy: Floats, factor: float) -> Floats64:
        """Return the logarithm of the density of each noisy vector if it came from each point, (q, p).

        Up to a constant that is the same for all points.
        """
        scale, y = factor * self._scale, self._straight(noisy)
        if self.noise.family != "gaussian":
            return -cdist(y, self._straight_points, "minkowski", p=ORDER[self.noise.family]) / scale
        squared = np.einsum("ij,ij->i", y, y)[:, None] + self._squares - 2 * (y @ self._straight_points.T)
        return -squared / (2 * scale**2) - y.shape[1] * np.log(scale)

    @cached_property
    def _scale(self) -> Floats64:
        """(p,) of the noise of each point."""
        return self.noise.scale[self.points.first_word]

    @cached_property
    def _straight_points(self) -> Floats64:
        return self._straight(self.points.vectors)

    @cached_property
    def _squares(self) -> Floats64:
        return np.einsum("ij,ij->i", self._straight_points, self._straight_points)

    def _straight(self, vectors: Floats) -> Floats64:
        """Return vectors (q, d) in coordinates in which the noise is alike in all directions."""
        if self.noise.root is None:
            return vectors.astype(np.float64)
        straight: Floats64 = np.linalg.solve(self.noise.root, vectors.T.astype(np.float64)).T.astype(np.float64)
        return straight
