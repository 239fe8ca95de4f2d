"""Bytes that are no secret: crafted, recorded or seeded, to see what noise is made of them."""

import numpy as np

SIGN = 1 << 63
MANTISSAS = 1 << 52
FRESH_BITS = 52  # of a word that goes on a run of zeros
EXPONENT_BITS = 11


class Crafted:
    """Bytes of numbers with a chosen sign bit, length of the run of zeros before the exponent's first one, mantissa.

    A number asks for a fresh word as long as its run goes on; `asked` keeps how many bytes were wanted each time.
    """

    def __init__(self, sign, zeros, mantissa):
        sign, zeros, mantissa = np.broadcast_arrays(sign, np.asarray(zeros), mantissa)
        first = np.where(zeros < EXPONENT_BITS, np.uint64(1) << np.maximum(62 - zeros, 0).astype(np.uint64), 0)
        self.words = (sign.astype(np.uint64) << np.uint64(63)) | first.astype(np.uint64) | mantissa.astype(np.uint64)
        self.left = zeros[zeros >= EXPONENT_BITS] - EXPONENT_BITS
        self.asked = []

    def __call__(self, count):
        first = not self.asked
        self.asked.append(count)
        if first:
            return self.words.tobytes()
        ends = self.left < FRESH_BITS
        fresh = np.where(ends, np.uint64(1) << np.where(ends, 63 - self.left, 0).astype(np.uint64), 0)
        self.left = self.left[~ends] - FRESH_BITS
        return fresh.astype(np.uint64).tobytes()


class Tape:
    """The given words, one after the other."""

    def __init__(self, *words):
        self.words = list(words)

    def __call__(self, count):
        taken, self.words = self.words[: count // 8], self.words[count // 8 :]
        assert 8 * len(taken) == count
        return np.array(taken, dtype=np.uint64).tobytes()


def seeded(seed):
    return np.random.default_rng(seed).bytes
