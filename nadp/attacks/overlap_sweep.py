"""The distribution of the paper's p_i as the noise grows (appendix B), with its skewness and with recovery."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nadp.attacks.overlap import overlaps, skewness
from nadp.embeddings import Floats, Ids
from nadp.search.decoding import nearest_to_noisy
from nadp.space import EmbeddingSpace

SIGMAS = tuple(round(0.05 * step, 2) for step in range(21))
"""The standard deviations of the paper's figure: 0 to 1 in steps of .05."""
_BINS = 20


@dataclass(frozen=True)
class OverlapAt:
    """The distribution of p_i at one standard deviation.

    Attributes:
        sigma: standard deviation of the noise in every component.
        counts: number of words with p_i in each of 20 equal bins from 0 to 1.
        skewness: corrected skewness, as in the paper; NaN if p_i is constant.
        recovery: share of words whose noisy vector is nearest to the word itself.
    """

    sigma: float
    counts: tuple[int, ...]
    skewness: float
    recovery: float


def overlap_sweep(space: EmbeddingSpace, draw: Floats, words: Ids, sigmas: Sequence[float] = SIGMAS) -> list[OverlapAt]:
    """Return the distribution of p_i of some words under N(0, sigma^2 I), for each sigma.

    Args:
        space: a space of n words.
        draw: (n, d) a standard normal draw.
        words: (q,) rows of the words to attack.
        sigmas: standard deviations.
    """
    points = space.embeddings.points
    truth = points.of_word[words]
    clean_lists = space.nearest_without_noise(words)
    noise_scales = np.repeat(np.asarray(sigmas, dtype=np.float64)[:, None], len(words), axis=1)
    length = clean_lists.shape[1]
    lists_by_sigma = nearest_to_noisy(points.vectors, space.vectors[words], draw[words], noise_scales, length)
    sweep = []
    for sigma, noisy_lists in zip(sigmas, lists_by_sigma, strict=True):
        overlap = overlaps(clean_lists, noisy_lists)
        counts = np.histogram(overlap, _BINS, (0, 1))[0]
        recovered = float((noisy_lists[:, 0] == truth).mean())
        sweep.append(OverlapAt(float(sigma), tuple(int(c) for c in counts), skewness(overlap), recovered))
    return sweep
