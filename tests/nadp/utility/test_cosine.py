import numpy as np
import pytest

from nadp.utility.cosine import cosines, unit_rows
from tests import reference


def test_cosines_are_those_of_the_loop_and_zero_for_a_zero_vector(clustered):
    one, other = clustered.vectors[:100].copy(), clustered.vectors[100:200].copy()
    one[3], other[4] = 0, 0
    one[5], other[6] = one[5] * np.float32(1e18), other[6] * np.float32(1e-18)
    expected = [reference.cosine(x, y) for x, y in zip(one.tolist(), other.tolist(), strict=True)]
    assert cosines(one, other) == pytest.approx(expected, abs=1e-12)
    assert cosines(one, other)[3:5].tolist() == [0, 0]


def test_unit_rows_have_length_one_or_stay_zero():
    np.testing.assert_allclose(unit_rows(np.float32([[3, 4], [0, 0]])), [[0.6, 0.8], [0, 0]], rtol=1e-15)
