import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from nadp.utility.correlation import pearson, spearman
from tests import reference

tied_pairs = st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=3, max_size=30)


@given(tied_pairs)
def test_correlations_are_those_of_scipy_and_of_the_naive_loops(pairs):
    one, other = np.array(pairs, dtype=float).T
    assume(np.ptp(one) and np.ptp(other))
    assert pearson(one, other) == pytest.approx(stats.pearsonr(one, other).statistic, abs=1e-12)
    assert spearman(one, other) == pytest.approx(stats.spearmanr(one, other).statistic, abs=1e-12)
    assert spearman(one, other) == pytest.approx(reference.spearman(one.tolist(), other.tolist()), abs=1e-12)


@pytest.mark.parametrize("correlation", [pearson, spearman])
@pytest.mark.parametrize("sample", [[], [1.0], [2.0, 2.0, 2.0], [0.1] * 11])
def test_a_constant_or_too_small_sample_has_no_correlation(correlation, sample):
    sample = np.array(sample)
    assert math.isnan(correlation(sample, np.arange(len(sample), dtype=float)))
    assert math.isnan(correlation(np.arange(len(sample), dtype=float), sample))


@pytest.mark.parametrize("correlation", [pearson, spearman])
def test_a_correlation_never_leaves_its_range(correlation):
    sample = np.random.default_rng(0).normal(size=1000)
    assert correlation(sample, 3 * sample + 1) == 1
    assert correlation(sample, -sample) == -1
