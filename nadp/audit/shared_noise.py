"""The check that no two words of a release share noise, in whole or in part: one test over all pairs of words.

Under the claimed law, the direction of each word's whitened noise is uniform on the sphere, so the squared cosine
between two independent directions follows Beta(1/2, (d - 1)/2). The largest absolute cosine of all pairs is tested
against that law, with Bonferroni's correction. The test detects copied noise, one draw for several words, a draw with
flipped sign, and noise that is shared in some coordinates: all these make pairs that are too parallel.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import betainc, betaincinv

from nadp.embeddings import Floats, Ids
from nadp.runtime.parallel import for_blocks, slices

_ROWS = 1024
Floats64 = npt.NDArray[np.float64]


@dataclass(frozen=True)
class SharedNoise:
    """The two words with the most parallel noise.

    Attributes:
        words: number of words; all their pairs were compared.
        cosine: signed cosine between the noise of the two words.
        first: position of one word.
        second: position of the other word.
        p_value: upper bound on the probability that any pair is at least this parallel.
    """

    words: int
    cosine: float
    first: int
    second: int
    p_value: float


def shared_noise(directions: Callable[[Ids], Floats64], words: int) -> SharedNoise | None:
    """Return the most parallel pair; None for fewer than two words.

    Args:
        directions: returns the directions of some words' (q,) whitened noise, as vectors of length 1, (q, d).
        words: number of words, m.
    """
    if words < 2:
        return None
    dimension = directions(np.arange(1)).shape[1]
    unit_noise = np.empty((words, dimension), dtype=np.float32)
    for block in slices(words, _ROWS):
        unit_noise[block] = directions(np.arange(block.start, block.stop))
    maximum_of_block: list[tuple[float, int, int]] = []

    def work(block: slice) -> None:
        maximum_of_block.append(_most_parallel(unit_noise, block))

    for_blocks(work, len(unit_noise), _ROWS, "pairs of words that share noise")
    _, first, second = max(maximum_of_block)
    first_direction, second_direction = directions(np.array([first, second]))
    cosine = float(first_direction @ second_direction)
    tail = tail_of_cosine(min(abs(cosine), 1.0), dimension)
    return SharedNoise(words, cosine, first, second, min(1.0, words * (words - 1) / 2 * tail))


def detectable_correlation(words: int, dimension: int, alarm: float) -> float:
    """Return the correlation of one pair above which the check fails.

    Args:
        words: number of compared words.
        dimension: number of components, d.
        alarm: probability that the check fails although no noise is shared.
    """
    tail = alarm / (words * (words - 1) / 2)
    return float(np.sqrt(1 - betaincinv((dimension - 1) / 2, 0.5, tail)))


def _most_parallel(directions: Floats, block: slice) -> tuple[float, int, int]:
    """Return the largest absolute cosine between a word of a block and a later word, and these two words."""
    best = (-1.0, 0, 0)
    for start in range(block.start, len(directions), _ROWS):
        cosines = np.abs(directions[block] @ directions[start : start + _ROWS].T)
        if start == block.start:
            cosines[np.tril_indices(len(cosines), 0, cosines.shape[1])] = -1  # each pair once, no word with itself
        row, column = divmod(int(cosines.argmax()), cosines.shape[1])
        best = max(best, (float(cosines[row, column]), block.start + row, start + column))
    return best


def tail_of_cosine(cosine: float, dimension: int) -> float:
    """Return the probability that two independent directions have at least this absolute cosine."""
    return float(betainc((dimension - 1) / 2, 0.5, 1 - cosine**2)) if dimension > 1 else 1.0
