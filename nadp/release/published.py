"""The final check: does the noise in the published numbers follow its intended law?

All other checks of the gate use a separate draw. Here, the difference of the published numbers and the vectors is
compared with the exact law of the noise: for each word, for all words of one scale, for the whole table, and between
all pairs of (at most 50,000) words. Rounding to the grid and to float32 is allowed for, so correct noise fails with at
most the stated probability, for any vectors. The guarantee includes the cost of this check, see
`nadp.mechanisms.publication.last_look`.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import gammainc, gammaincc

from nadp.audit.shared_noise import shared_noise, tail_of_cosine
from nadp.embeddings import Floats
from nadp.mechanisms.preconditions import Measure
from nadp.noise import NoiseLaw

_COMPARED = 50_000  # words of which all pairs are: their number grows as its square
_FLOAT32 = 2.0**-24  # largest relative change by the cast of a published number
_HELP = "the sampler does not give the intended noise; nothing was published. Report this fault"
Floats64 = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Published:
    """Numbers for publication, and their intended noise.

    Attributes:
        vectors: (m, d) without noise.
        table: (m, d) with noise.
        law: of the noise, fitted.
        scale: (m,) of each word's noise, above 0.
        grid: spacing of published numbers.
    """

    vectors: Floats
    table: Floats
    law: NoiseLaw
    scale: Floats64
    grid: float

    @property
    def noise(self) -> Floats64:
        """(m, d) published numbers less vectors, whitened."""
        noise = self.table.astype(np.float64) - self.vectors
        return self.law.whitened(noise).astype(np.float64, copy=False)

    @property
    def rounding(self) -> Floats64:
        """(m,) bound on the L2 distance of the whitened noise from its draw: half a step of the grid, and the cast."""
        most = self.grid / 2 + _FLOAT32 * np.abs(self.table).max(axis=1).astype(np.float64)
        shortest: Floats64 = self.scale / self.law.narrowest(self.scale)
        return most * np.sqrt(self.table.shape[1]) * shortest


def published_measures(published: Published, alarm: float) -> list[Measure]:
    """Return whether the noise of published numbers may follow its intended law.

    Args:
        published: the numbers.
        alarm: bound on the probability that correct noise fails.
    """
    noise, rounding = published.noise, published.rounding
    share = np.flatnonzero((noise**2).sum(axis=1) > rounding**2)  # words whose noise has a direction
    share = np.random.default_rng().permutation(share)[:_COMPARED]
    sizes = _size_tail(published, noise, rounding)
    pairs = _pair_tail(published, noise[share], rounding[share], published.scale[share])
    return [
        _measure("size_of_published_noise_p_value", "the p-value of the size of the published noise", sizes, alarm / 2),
        _measure("shared_published_noise_p_value", "the p-value that no words share noise", pairs, alarm / 2),
    ]


def _measure(key: str, name: str, value: float, limit: float) -> Measure:
    return Measure(key, name, value, limit, value >= limit, _HELP)


def _size_tail(published: Published, noise: Floats64, rounding: Floats64) -> float:
    """Return a bound on the probability that any word, scale or the whole table is so far from its size (Gamma)."""
    law, scale = published.law, published.scale
    length = np.linalg.norm(noise, ord=law.order, axis=1)
    slack = rounding * (np.sqrt(noise.shape[1]) if law.order == 1 else 1.0)
    low, high = (((length + side * slack).clip(min=0) / scale) ** law.exponent / law.exponent for side in (-1, 1))
    shape = noise.shape[1] / law.exponent
    _, group, count = np.unique(scale, return_inverse=True, return_counts=True)
    words = np.concatenate([np.ones(len(scale)), count, [len(scale)]])
    least, most = (np.concatenate([each, np.bincount(group, each), [each.sum()]]) for each in (low, high))
    tails = np.minimum(gammainc(shape * words, most), gammaincc(shape * words, least))
    return float(min(1.0, 2 * len(words) * tails.min()))


def _pair_tail(published: Published, noise: Floats64, rounding: Floats64, scale: Floats64) -> float:
    """Return a bound on the probability that any two words' noise is so parallel.

    Rounding turns a direction by less than twice its share of the length, normal scores of other laws included.
    """
    found = shared_noise(published.law.directions(noise, scale)) if len(noise) else None
    if found is None:
        return 1.0
    length = np.linalg.norm(noise, axis=1)
    turned = sum(2 * rounding[i] / (length[i] - rounding[i]) for i in (found.first, found.second))
    cosine = min(1.0, max(0.0, abs(found.cosine) - turned))
    return float(min(1.0, found.words * (found.words - 1) / 2 * tail_of_cosine(cosine, noise.shape[1])))
