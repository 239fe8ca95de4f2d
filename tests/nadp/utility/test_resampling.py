import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nadp.utility.correlation import Ratings
from nadp.utility.resampling import RESAMPLES, ResampledRatings, centred_ranks, item_counts, over_items
from tests import reference

few = st.lists(st.integers(-3, 3), min_size=2, max_size=12)


def drawn(items, counts):
    return np.repeat(items, counts).tolist()


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=1, max_size=12), st.integers(0, 99))
def test_correlations_over_resamples_are_those_of_the_resampled_items(pairs, number):
    predicted, ratings = (np.array(side, dtype=float) for side in zip(*pairs, strict=True))
    counts = item_counts(f"set {number}", len(pairs))[:20]
    found = ResampledRatings(ratings, counts)
    for name in ("pearson", "spearman"):
        naive = [getattr(Ratings(np.repeat(ratings, c)), name)(np.repeat(predicted, c)) for c in counts]
        np.testing.assert_allclose(getattr(found, name)(predicted), naive, atol=1e-7)


@given(few)
def test_ranks_within_a_resample_are_those_of_the_drawn_items(values):
    counts = item_counts("ranks", len(values))[:5]
    for c, ranks in zip(counts, centred_ranks(np.array(values, dtype=float), counts), strict=True):
        naive = np.array(reference.ranks(drawn(np.array(values), c))) - (len(values) + 1) / 2
        np.testing.assert_allclose(np.repeat(ranks, c), naive)


def test_resamples_are_the_same_for_the_same_name_and_have_all_items():
    one = item_counts("men", 300)
    assert one.shape == (RESAMPLES, 300)
    assert (one.sum(axis=1) == 300).all()
    item_counts.cache_clear()
    np.testing.assert_array_equal(item_counts("men", 300), one)
    assert (item_counts("simlex999", 300) != one).any()
    # each item is drawn once on average, with the variance of the multinomial distribution
    assert abs(one.mean(axis=0) - 1).max() < 5 * RESAMPLES**-0.5
    assert one.var() == pytest.approx(1 - 1 / 300, rel=0.05)


def test_the_spread_over_resamples_is_the_error_of_a_correlation():
    rng = np.random.default_rng(0)
    rho, items = 0.6, 2000
    a = rng.normal(size=items)
    b = rho * a + np.sqrt(1 - rho**2) * rng.normal(size=items)
    found = ResampledRatings(b, item_counts("spread", items))
    assert over_items(found.pearson(a))["item_error"] == pytest.approx((1 - rho**2) / np.sqrt(items), rel=0.15)


def test_resamples_on_which_a_figure_is_not_defined_do_not_count_in_its_error():
    figures = np.random.default_rng(0).normal(size=400)
    gaps = np.concatenate([figures, np.full(100, np.nan)])
    assert over_items(gaps)["item_error"] == pytest.approx(np.std(figures, ddof=1))
    assert np.isnan(over_items(gaps)["resampled"]).sum() == 100


def test_nothing_to_resample_is_not_defined():
    none = ResampledRatings(np.empty(0), item_counts("none", 0))
    assert np.isnan(none.spearman(np.empty(0))).all()
    assert np.isnan(none.pearson(np.empty(0))).all()
    kept = over_items(none.spearman(np.empty(0)))
    assert len(kept["resampled"]) == RESAMPLES
    assert np.isnan(kept["item_error"])
