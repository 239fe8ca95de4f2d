"""The posterior of each word, given its released vector: the best attacker needs nothing more."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.special import softmax

from nadp.embeddings import Floats, Ids
from nadp.noise import NoiseLaw
from nadp.search.kernels import posterior_weights, sums_of_differences

Floats64 = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class NoisyWords:
    """n words with noise of one law, at any scale.

    Distances come from one matrix product, or from float32 sums for the L1 norm. So a posterior may have a relative
    error of a thousandth, which is invisible in figures over many words.

    Attributes:
        law: law of the noise, fitted to the embedding; None if no word has noise.
        vectors: (n, d) vectors without noise.
        prior: (n,) the probability of each word, above 0.
        points: (n,) the number of each word's vector: words that share a vector cannot be distinguished.
    """

    law: NoiseLaw | None
    vectors: Floats
    prior: Floats64
    points: Ids

    def posterior(self, words: Ids, noise: Floats, scale: Floats64) -> Floats64:
        """Return the posterior of each word, given the noisy vectors of some words (q,), (q, n).

        A word without noise is recognised by its vector.

        Args:
            words: the words whose vectors are released.
            noise: (q, d) their noise at scale 1.
            scale: (n,) noise scale of each word, 0 for none.
        """
        has_noise = scale > 0
        probabilities = np.zeros((len(words), len(scale)))
        noisy = np.flatnonzero(has_noise[words])
        if self.law is not None and len(noisy):
            own_scale = scale[words[noisy], None].astype(np.float32)
            probabilities[noisy] = self._of_noisy(
                self.law, self.vectors[words[noisy]] + own_scale * noise[noisy], scale, has_noise
            )
        for row in np.flatnonzero(~has_noise[words]):
            same_point = ~has_noise & (self.points == self.points[words[row]])
            probabilities[row, same_point] = self.prior[same_point] / self.prior[same_point].sum()
        return probabilities

    def _of_noisy(self, law: NoiseLaw, noisy: Floats, scale: Floats64, has_noise: npt.NDArray[np.bool_]) -> Floats64:
        positive_scale = np.where(has_noise, scale, 1.0)
        offset = np.where(has_noise, np.log(self.prior) - noisy.shape[1] * np.log(positive_scale), -np.inf)
        if law.order == 1:
            distances = np.empty((len(noisy), len(scale)), dtype=np.float32)
            sums_of_differences(law.whitened(noisy).astype(np.float32), self._white.astype(np.float32), distances)
            return np.asarray(softmax(offset - distances / positive_scale, axis=1))
        y = law.whitened(noisy).astype(np.float64)
        products, squared_norms = y @ self._white.T, np.einsum("ij,ij->i", y, y)
        if law.exponent == 2:
            posterior_weights(products, squared_norms, self._squares, 1 / (2 * positive_scale**2), offset)
            return products
        products *= -2
        products += squared_norms[:, None]
        products += self._squares
        return np.asarray(softmax(offset - np.sqrt(products.clip(min=0)) / positive_scale, axis=1))

    @cached_property
    def _white(self) -> Floats64:
        return self.vectors.astype(np.float64) if self.law is None else self.law.whitened(self.vectors).astype(float)

    @cached_property
    def _squares(self) -> Floats64:
        return np.einsum("ij,ij->i", self._white, self._white)
