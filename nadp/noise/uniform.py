"""Uniform numbers from the operating system's randomness, with full relative precision near 0."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Bytes = Callable[[int], bytes]
"""Returns a number of random bytes."""
_MANTISSA = 52
_MOST_FRESH_WORDS = 20  # words for one number: all their bits are zero with probability 2^-1040
_EXPONENT_BITS = 11
Magnitudes = Callable[[npt.NDArray[np.uint64], Bytes], npt.NDArray[np.float64]]
"""Turns random words into numbers, with more randomness if needed; it may use all bits but the topmost."""
AT_A_TIME = 1 << 20
"""Numbers per block."""
GRANULE = 2.0**-51
"""Relative width of the interval that a uniform number represents."""


def signed(count: int, magnitudes: Magnitudes, random_bytes: Bytes) -> npt.NDArray[np.float64]:
    """Return numbers (count,) from random words; the topmost bit of each word is the sign."""
    numbers = np.empty(count)
    for start in range(0, count, AT_A_TIME):
        part = numbers[start : start + AT_A_TIME]
        words = random_words(len(part), random_bytes)
        np.multiply(np.where(words >> np.uint64(63), -1.0, 1.0), magnitudes(words, random_bytes), out=part)
    return numbers


def small_uniform(words: npt.NDArray[np.uint64], random_bytes: Bytes) -> npt.NDArray[np.float64]:
    """Return uniform numbers in (0, 1/2), (n,), from the lower 63 bits of random words, and from more if needed.

    The number lies in [2^-(k+1), 2^-k) with probability 2^-k, k = 1, 2, ...: k - 1 is the length of a run of zero
    bits, which continues in fresh words if all bits so far are zero.
    """
    mantissa_bits = (words & np.uint64((1 << _MANTISSA) - 1)) | np.uint64(1)  # the middle of a cell, so u is never 1/2
    mantissa = 1 + mantissa_bits.astype(np.float64) * 2.0**-_MANTISSA
    zeros = _leading_zeros((words >> np.uint64(_MANTISSA)) & np.uint64((1 << _EXPONENT_BITS) - 1), _EXPONENT_BITS)
    unsettled = np.flatnonzero(zeros == _EXPONENT_BITS)
    for _ in range(_MOST_FRESH_WORDS):
        if not len(unsettled):
            break
        more_zeros = _leading_zeros(random_words(len(unsettled), random_bytes) >> np.uint64(64 - _MANTISSA), _MANTISSA)
        zeros[unsettled] += more_zeros
        unsettled = unsettled[more_zeros == _MANTISSA]
    if len(unsettled):
        raise RuntimeError("the source of randomness returns only zeros")
    return np.ldexp(mantissa, -(zeros + 2))


def random_words(count: int, random_bytes: Bytes) -> npt.NDArray[np.uint64]:
    """Return a number of random 64-bit words."""
    raw = random_bytes(8 * count)
    if len(raw) != 8 * count:
        raise RuntimeError(f"the source of randomness returned {len(raw)} bytes, not {8 * count}")
    return np.frombuffer(raw, dtype=np.uint64)


def _leading_zeros(values: npt.NDArray[np.uint64], bits: int) -> npt.NDArray[np.int64]:
    """Return the number of zero bits, among the given number of bits, before the first bit that is one."""
    return bits - np.frexp(values.astype(np.float64))[1].astype(np.int64)


def fractions(count: int, random_bytes: Bytes) -> npt.NDArray[np.float64]:
    """Return numbers from 0 up to but not including 1, uniform on the multiples of 2^-53, (count,)."""
    return np.ldexp((random_words(count, random_bytes) >> np.uint64(11)).astype(np.float64), -53)


def fine_fractions(count: int, random_bytes: Bytes) -> npt.NDArray[np.float64]:
    """Return uniform numbers between 0 and 1, (count,), with full relative precision near 0."""
    return 2 * small_uniform(random_words(count, random_bytes), random_bytes)
