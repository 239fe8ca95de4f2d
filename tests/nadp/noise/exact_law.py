"""The exact law of what a sampler makes of random bits: a finite sum of powers of two.

Where the numbers that are beyond a boundary end is found by bisection over all bit patterns in the order of u, and the
patterns around it are looked at one by one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tests.nadp.noise.sources import MANTISSAS, Crafted


@dataclass(frozen=True)
class ExactLaw:
    """The law of x + scale z on a grid.

    Attributes:
        made: of (q, 1) vectors, scale, grid and a source of bytes, the (q, 1) numbers that come out.
        deepest: the longest run of zeros that is counted on its own; 2^-(deepest + 1) of the numbers have longer runs.
        around: bit patterns on either side of an end: what is made of them is not monotone to the last bit.
    """

    made: Callable
    deepest: int
    around: int

    def patterns_beyond(self, sign, terms, far):
        """How many of the patterns, by their weight, are at least as far out as `far` steps of the grid, as integers.

        Args:
            sign: bit of the sign: 1 for numbers above the vector's.
            terms: the vector's number, scale, distance of two released numbers.
            far: (n,) numbers of steps.

        Returns:
            Weights in units of 2^-(deepest + 54).
        """
        low = np.zeros(len(far), dtype=np.int64)
        high = np.full(len(far), (self.deepest + 1) * MANTISSAS, dtype=np.int64)
        while (high - low > 1).any():
            middle = low + (high - low) // 2
            out = self._is_out(sign, terms, middle, far)
            low, high = np.where(out, middle, low), np.where(out, high, middle)
        offsets = np.arange(-self.around, self.around)
        codes = high[:, None] + offsets
        there = codes < (self.deepest + 1) * MANTISSAS
        asked = np.where(there, codes, 0)
        out = there & self._is_out(sign, terms, asked.ravel(), np.repeat(far, len(offsets))).reshape(codes.shape)
        assert out[:, : self.around // 4].all()  # far enough from the end all patterns agree
        assert not out[:, -self.around // 4 :].any()
        return [self._weight(row, inside) for row, inside in zip(codes, out, strict=True)]

    def law(self, terms, cells):
        """The exact probability that the sampler gives each of some multiples of the grid, none next to the vector."""
        x, _, grid = terms
        unit = Fraction(1, 1 << (self.deepest + 54))
        cells = np.asarray(cells, dtype=np.float64)
        middle = float(np.float32(x)) / grid
        assert (np.abs(cells - middle) > 1).all()
        probabilities = np.empty(len(cells), dtype=object)
        for sign, side in ((0, cells < middle), (1, cells > middle)):
            far = cells[side]
            inner, outer = (self.patterns_beyond(sign, terms, ends) for ends in (far, far + (1 if sign else -1)))
            probabilities[side] = [(one - two) * unit for one, two in zip(inner, outer, strict=True)]
        return probabilities

    def _is_out(self, sign, terms, codes, far):
        """Whether the pattern of each code, these ascending with u, gives a number that far out."""
        x, scale, grid = terms
        steps = np.greater_equal if sign else np.less_equal
        out = np.empty(len(codes), dtype=bool)
        for start in range(0, len(codes), 1 << 19):
            part = slice(start, start + (1 << 19))
            zeros, mantissa = self.deepest - codes[part] // MANTISSAS, codes[part] % MANTISSAS
            vectors = np.full((len(zeros), 1), np.float32(x))
            made = self.made(vectors, scale, grid, Crafted(sign, zeros, mantissa))[:, 0]
            out[part] = steps(made / grid, far[part])
        return out

    @staticmethod
    def _weight(codes, inside):
        """The weight of the patterns inside, and of all with smaller u: 2^-(zeros + 53) each."""
        binade, mantissa = divmod(int(codes[0]), MANTISSAS)
        before = (1 << 52 << binade) + (mantissa << binade)  # with what is beyond the deepest run
        binades, counts = np.unique(codes[inside] // MANTISSAS, return_counts=True)
        return before + sum(int(n) << int(b) for b, n in zip(binades, counts, strict=True))
