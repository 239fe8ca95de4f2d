"""The final check: does the noise in the published numbers follow its intended law?

All other checks of the gate use a separate draw. Here, the difference between the published numbers and the vectors is
compared with the exact law of the noise: for each word, for all words with one noise scale, for the whole table, and
for all pairs of at most 50,000 words. The checks allow for rounding to the grid and to float32, so for any vectors
correct noise fails with at most the stated probability. The guarantee includes the cost of these checks, see
`nadp.mechanisms.publication.last_look`.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.special import gammainc, gammaincc

from nadp.audit.shared_noise import shared_noise, tail_of_cosine
from nadp.embeddings import Floats, Ids
from nadp.mechanisms.preconditions import Measure
from nadp.noise import NoiseLaw
from nadp.runtime.parallel import for_blocks

_COMPARED = 50_000  # words in the pairwise check, whose cost grows quadratically
_ROWS = 1024  # rows at a time, so that the noise of a large table takes little memory
_FLOAT32 = 2.0**-24  # largest relative change when a published number is cast
_HELP = "the sampler does not give the intended noise; nothing was published. Report this fault"
Floats64 = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Published:
    """Numbers for publication, and their intended noise.

    Attributes:
        vectors: (m, d) vectors without noise.
        table: (m, d) vectors with noise.
        law: the fitted noise law.
        scale: (m,) noise scale of each word, above 0.
        grid: spacing of published numbers.
    """

    vectors: Floats
    table: Floats
    law: NoiseLaw
    scale: Floats64
    grid: float

    def noise(self, rows: Ids | slice) -> Floats64:
        """Return the whitened noise of some rows, (q, d): published numbers minus vectors."""
        noise = self.table[rows].astype(np.float64) - self.vectors[rows]
        return self.law.whitened(noise).astype(np.float64, copy=False)

    @cached_property
    def lengths(self) -> Floats64:
        """(m, 2) lengths of the whitened noise of each word: in the L2 norm and in the law's norm."""
        lengths = np.empty((len(self.table), 2))

        def work(block: slice) -> None:
            noise = self.noise(block)
            lengths[block] = np.column_stack(
                [np.linalg.norm(noise, ord=order, axis=1) for order in (2, self.law.order)]
            )

        for_blocks(work, len(lengths), _ROWS, "size of the published noise")
        return lengths

    @cached_property
    def rounding(self) -> Floats64:
        """(m,) bound on the L2 error of the whitened noise, from rounding to the grid and the cast to float32."""
        largest = np.maximum(self.table.max(axis=1), -self.table.min(axis=1)).astype(np.float64)
        absolute_error = self.grid / 2 + _FLOAT32 * largest
        shortest: Floats64 = self.scale / self.law.narrowest(self.scale)
        return absolute_error * np.sqrt(self.table.shape[1]) * shortest


def published_measures(published: Published, alarm: float) -> list[Measure]:
    """Return measures of whether the noise of published numbers follows its intended law.

    Args:
        published: the numbers.
        alarm: bound on the probability that correct noise fails.
    """
    share = np.flatnonzero(published.lengths[:, 0] > published.rounding)  # words whose noise has a direction
    share = np.random.default_rng().permutation(share)[:_COMPARED]
    sizes, pairs = _size_tail(published), _pair_tail(published, share)
    return [
        _measure("size_of_published_noise_p_value", "the p-value of the size of the published noise", sizes, alarm / 2),
        _measure("shared_published_noise_p_value", "the p-value that no words share noise", pairs, alarm / 2),
    ]


def _measure(key: str, name: str, value: float, limit: float) -> Measure:
    return Measure(key, name, value, limit, value >= limit, _HELP)


def _size_tail(published: Published) -> float:
    """Return a bound on the p-value of the noise size of any word, all words of a scale, or the whole table (Gamma)."""
    scale, shape = published.scale, published.table.shape[1] / published.law.exponent
    _, group, count = np.unique(scale, return_inverse=True, return_counts=True)
    tail = 1.0
    for side, tail_of in ((-1, gammaincc), (1, gammainc)):
        sizes = _sizes(published, side)
        tail = min(
            tail,
            tail_of(shape, sizes).min(),
            tail_of(shape * count, np.bincount(group, sizes)).min(),
            tail_of(shape * len(scale), sizes.sum()),
        )
    return float(min(1.0, 2 * (len(scale) + len(count) + 1) * tail))


def _sizes(published: Published, side: int) -> Floats64:
    """Return the least (side = -1) or largest (1) noise size of each word that rounding allows, (m,).

    Computed in place: for millions of words, each array is large.
    """
    law = published.law
    sizes = published.rounding * (side * (np.sqrt(published.table.shape[1]) if law.order == 1 else 1.0))
    sizes += published.lengths[:, 1]
    np.maximum(sizes, 0.0, out=sizes)
    sizes /= published.scale
    sizes **= law.exponent
    sizes /= law.exponent
    return sizes


def _pair_tail(published: Published, rows: Ids) -> float:
    """Return a bound on the p-value of the two words whose noise is most nearly parallel.

    Rounding by r turns noise of length L by at most r / (L - r). Laplace noise is first mapped to normal scores, a map
    with a slope of at most sqrt(pi / 2) per scale. The factor of 2 covers this at the lengths that such noise has.
    """

    def directions(subset: Ids) -> Floats64:
        return published.law.directions(published.noise(rows[subset]), published.scale[rows[subset]])

    pair = shared_noise(directions, len(rows))
    if pair is None:
        return 1.0
    rounding, length = published.rounding[rows], published.lengths[rows, 0]
    max_turn = sum(2 * rounding[i] / (length[i] - rounding[i]) for i in (pair.first, pair.second))
    cosine = min(1.0, max(0.0, abs(pair.cosine) - max_turn))
    return float(min(1.0, pair.words * (pair.words - 1) / 2 * tail_of_cosine(cosine, published.table.shape[1])))
