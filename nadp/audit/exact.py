"""A sample of an original and its release with all digits of their files, which are otherwise read as float32."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from nadp.embeddings import Floats

Floats64 = npt.NDArray[np.float64]
Reader = Callable[[list[str]], Mapping[str, Floats64]]
_DIGITS = 9  # of a decimal number, which are enough for every float32


@dataclass(frozen=True)
class ExactFiles:
    """The files of an original and its release.

    Attributes:
        original: returns the vectors of some words as float64, of those for which the file may hold more than float32.
        released: the same for the release.
    """

    original: Reader
    released: Reader


class ExactSample(NamedTuple):
    """A sample with all digits.

    Attributes:
        originals: one or two tables (w, d): the original as float32 and, if its file holds other numbers, as float64.
        noisy: (q, d) the released vectors of the first q words.
    """

    originals: list[Floats64]
    noisy: Floats64


def exact_sample(files: ExactFiles, words: list[str], vectors: Floats, noisy: Floats) -> ExactSample | None:
    """Return a sample with all digits of its files; None if the release holds no more than float32.

    Args:
        files: the files.
        words: w words.
        vectors: (w, d) their vectors without noise, as float32.
        noisy: (q, d) the released vectors of the first q words, as float32.
    """
    released = _with_all_digits(files.released(words[: len(noisy)]), words, noisy)
    if not _is_wider_than_float32(released):
        return None
    original, rounded = _with_all_digits(files.original(words), words, vectors), vectors.astype(np.float64)
    return ExactSample([rounded] if np.array_equal(original, rounded) else [rounded, original], released)


def _with_all_digits(found: Mapping[str, Floats64], words: list[str], rows: Floats) -> Floats64:
    """Return float32 rows as float64, with the digits that were found of the same numbers.

    The numbers of a word differ if vectors were shortened, or a static model was not read as it is stored.
    """
    exact = rows.astype(np.float64)
    for row, word in enumerate(words[: len(rows)]):
        if word in found and np.array_equal(found[word].astype(np.float32), rows[row]):
            exact[row] = found[word]
    return exact


def _is_wider_than_float32(numbers: Floats64) -> bool:
    """Return whether some number is neither a float32 nor a decimal number of the digits that a float32 needs."""
    others = numbers[numbers != numbers.astype(np.float32)]
    return any(float(f"{number:.{_DIGITS}g}") != number for number in others.tolist())
