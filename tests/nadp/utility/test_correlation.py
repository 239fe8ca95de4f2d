import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from nadp.utility.correlation import Ratings
from tests import reference

CORRELATIONS = [Ratings.pearson, Ratings.spearman]

tied_pairs = st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=3, max_size=30)


@given(tied_pairs)
def test_correlations_are_those_of_scipy_and_of_the_naive_loops(pairs):
    one, other = np.array(pairs, dtype=float).T
    assume(np.ptp(one) and np.ptp(other))
    ratings = Ratings(other)
    assert ratings.pearson(one) == pytest.approx(stats.pearsonr(one, other).statistic, abs=1e-12)
    assert ratings.spearman(one) == pytest.approx(stats.spearmanr(one, other).statistic, abs=1e-12)
    assert ratings.spearman(one) == pytest.approx(reference.spearman(one.tolist(), other.tolist()), abs=1e-12)


@pytest.mark.parametrize("correlation", CORRELATIONS)
@pytest.mark.parametrize("sample", [[], [1.0], [2.0, 2.0, 2.0], [0.1] * 6, [0.1] * 11])
def test_a_constant_or_too_small_sample_has_no_correlation(correlation, sample):
    sample = np.array(sample)
    assert math.isnan(correlation(Ratings(sample), np.arange(len(sample), dtype=float)))
    assert math.isnan(correlation(Ratings(np.arange(len(sample), dtype=float)), sample))


@pytest.mark.parametrize("correlation", CORRELATIONS)
def test_a_correlation_never_leaves_its_range(correlation):
    sample = np.random.default_rng(0).normal(size=1000)
    ratings = Ratings(sample)
    assert 1 - 1e-12 < correlation(ratings, 3 * sample + 1) <= 1
    assert -1 <= correlation(ratings, -sample) < -1 + 1e-12
