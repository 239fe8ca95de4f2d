"""Compiled inner loops of the modules in this folder. tests/reference.py has the naive versions."""

import numpy as np

from nadp.runtime.compiled import compiled

_MIX = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio: its multiples are well spread
_HALF = np.uint64(32)
_MINUS_ZERO = np.uint32(0x80000000)


@compiled()
def hash_rows(bits, out):
    """Fill out[i] with a hash of row i; the two zeros of floating-point numbers count as one.

    Args:
        bits: (n, d) uint32, the bits of float32 numbers.
        out: (n,) uint64.
    """
    for i in range(bits.shape[0]):
        total = np.uint64(0)
        for k in range(bits.shape[1]):
            value = bits[i, k]
            if value != _MINUS_ZERO:
                total ^= np.uint64(value)
            total *= _MIX
            total ^= total >> _HALF
        out[i] = total


@compiled()
def find_first_equal(vectors, hashes, order, first):
    """Fill first[i] with the first row that equals row i.

    Args:
        vectors: (n, d) float32.
        hashes: (n,) uint64, of the rows.
        order: (n,) int64, the rows by hash; rows with the same hash in ascending order.
        first: (n,) int64.
    """
    start = 0
    for position in range(len(order)):
        row = order[position]
        if hashes[row] != hashes[order[start]]:
            start = position
        first[row] = row
        for earlier_position in range(start, position):  # at most one distinct row, unless hashes collide
            earlier_row = order[earlier_position]
            if first[earlier_row] == earlier_row and _equal(vectors[row], vectors[earlier_row]):
                first[row] = earlier_row
                break


@compiled()
def _equal(one, other):
    for k in range(len(one)):  # noqa: SIM110 - numba compiles no generator
        if one[k] != other[k]:
            return False
    return True
