import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from nadp.attacks.overlap import overlaps, skewness
from tests import reference


def test_overlaps_are_the_jaccard_indices_of_the_lists():
    rng = np.random.default_rng(0)
    before, after = (np.array([rng.permutation(15)[:10] for _ in range(60)], dtype=np.int32) for _ in range(2))
    after[0] = before[0]
    after[1] = before[1] + 15
    expected = [float(reference.jaccard(*lists)) for lists in zip(before.tolist(), after.tolist(), strict=True)]
    assert overlaps(before, after).tolist() == expected
    assert expected[:2] == [1, 0]


@given(st.lists(st.floats(0, 1).map(lambda value: round(value, 6)), min_size=3, max_size=50))
def test_both_forms_of_skewness_are_those_of_scipy(sample):
    sample = np.array(sample)
    if np.ptp(sample) == 0:
        assert math.isnan(skewness(sample))
    else:
        assert skewness(sample) == pytest.approx(stats.skew(sample, bias=False), rel=1e-9, abs=1e-9)
        assert skewness(sample, corrected=False) == pytest.approx(stats.skew(sample), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("sample", [[], [0.5], [0.0, 1.0], [1.0] * 10, [0.1] * 7, [1 / 3] * 1000])
def test_a_constant_or_too_small_sample_has_no_skewness_or_zero_as_in_the_authors_code(sample):
    assert math.isnan(skewness(np.array(sample)))
    assert skewness(np.array(sample), corrected=False) == 0
