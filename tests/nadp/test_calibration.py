import contextlib
import csv
import itertools
import math

import mpmath
import pytest
from dp_accounting.pld.accountant import common, get_smallest_gaussian_noise
from dp_accounting.pld.privacy_loss_mechanism import GaussianPrivacyLoss
from hypothesis import assume, given
from hypothesis import strategies as st

from nadp import InputError, noise_multiplier, privacy_profile
from nadp.calibration import classical_noise_multiplier, composed_mu, distinguishing_accuracy, epsilon_of, mu_of

PAPER_DELTA = 1 / 73404
EPSILONS = [0, 1e-300, 1e-10, 0.1, 1, 10, 100, 1000]
DELTAS = [1e-300, 1e-100, 1e-15, PAPER_DELTA, 1e-3, 0.3, 0.5, 0.9, 0.999, 1 - 1e-9]
MULTIPLIERS = [0.01, 0.03, 0.1, 0.2, 0.5, 1, 2, 3, 5, 10, 30, 100, 1e3, 1e6, 1e100]
REFERENCE = {
    0.1: 29.955304085299996,
    0.5: 6.886174306699999,
    1: 3.6606995264,
    2: 1.9604213891999998,
    5: 0.8794796285000002,
    10: 0.494115219,
    15: 0.3582329779000001,
    20: 0.28737567190000013,
    30: 0.21302664950000003,
    40: 0.17362602089999998,
}


def true_delta(epsilon, multiplier):
    """The left side of Theorem 2 to some 100 digits: 400 outlive the cancellation at delta 1e-300."""
    with mpmath.workdps(400):
        epsilon, mu, root = mpmath.mpf(epsilon), 1 / mpmath.mpf(multiplier), mpmath.sqrt(2)
        t1, t2 = (epsilon / mu - mu / 2) / root, (epsilon / mu + mu / 2) / root
        return (mpmath.erfc(t1) - mpmath.exp(epsilon) * mpmath.erfc(t2)) / 2


def shortfalls(epsilon, delta):
    """How far the true delta of u* stays below the delta asked for, relative to delta and to 1 - delta."""
    reached = true_delta(epsilon, noise_multiplier(epsilon, delta))
    with mpmath.workdps(400):
        short = mpmath.mpf(delta) - reached
        return float(short / delta), float(short / (1 - mpmath.mpf(delta)))


@pytest.mark.parametrize(("epsilon", "expected"), REFERENCE.items())
def test_ten_multipliers_of_the_authors_are_reproduced(epsilon, expected):
    assert noise_multiplier(epsilon, PAPER_DELTA) == pytest.approx(expected, rel=2e-9)


@pytest.mark.shared
def test_all_400_multipliers_of_the_authors_are_reproduced(shared):
    with (shared / "reference" / "alpha_mod.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 400
    for row in rows:
        expected = float(row["u_star_reference"])
        assert noise_multiplier(float(row["epsilon"]), PAPER_DELTA) == pytest.approx(expected, rel=1e-9, abs=0)


@pytest.mark.parametrize(
    ("epsilon", "delta", "expected"),
    [
        (0, PAPER_DELTA, "29283.959"),
        (1, 1e-15, "7.487"),
        (1, 1e-100, "21.01"),
        (1, 1e-300, "36.87"),
        (710, PAPER_DELTA, "0.029634"),
        (1e3, PAPER_DELTA, "0.0245438"),
        (1e6, PAPER_DELTA, "0.000709207"),
    ],
)
def test_corners_have_their_known_multipliers(epsilon, delta, expected):
    digits = len(expected.replace(".", "").lstrip("0"))
    assert format(noise_multiplier(epsilon, delta), f".{digits}g") == expected


@pytest.mark.parametrize(("epsilon", "delta"), [*itertools.product(EPSILONS, DELTAS), (1e4, 1e-5), (710, 1e-9)])
def test_the_delta_that_is_reached_is_the_one_asked_for_and_never_more(epsilon, delta):
    of_delta, of_rest = shortfalls(epsilon, delta)
    assert 0 <= of_delta < 1e-10
    assert 0 <= of_rest < 1e-10


@given(st.floats(-300, 3), st.floats(-300, -1e-3))
def test_no_pair_of_small_numbers_leaks_or_fails(log_epsilon, log_delta):
    epsilon, delta = 10**log_epsilon, 10**log_delta
    assert 0 <= shortfalls(epsilon, delta)[0] < 1e-10


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_privacy_profile_is_exact(epsilon):
    # The largest relative error on this grid is 3.7e-14 (below 1e-290 doubles lose digits of their own).
    for multiplier in MULTIPLIERS:
        exact = float(true_delta(epsilon, multiplier))
        assert privacy_profile(epsilon, multiplier) == pytest.approx(exact, rel=1e-12, abs=1e-290)


@pytest.mark.parametrize("epsilon", [0.1, 1, 5, 20, 40])
def test_an_independent_library_agrees(epsilon):
    multiplier = noise_multiplier(epsilon, PAPER_DELTA)
    asked = common.DifferentialPrivacyParameters(epsilon, PAPER_DELTA)
    assert multiplier == pytest.approx(get_smallest_gaussian_noise(asked, 1, 1), rel=1e-5)
    peer = GaussianPrivacyLoss(multiplier).get_delta_for_epsilon(epsilon)
    assert privacy_profile(epsilon, multiplier) == pytest.approx(peer, rel=1e-10)


ordinary_epsilons = st.just(0.0) | st.floats(1e-12, 1e3) | st.floats(-12, 3).map(lambda power: 10**power)
ordinary_deltas = st.floats(1e-12, 1 - 1e-9) | st.floats(-300, -1e-3).map(lambda power: 10**power)


@given(ordinary_epsilons, ordinary_epsilons, ordinary_deltas)
def test_more_epsilon_never_needs_more_noise(one, other, delta):
    low, high = sorted((one, other))
    assume(high > low * (1 + 1e-9) + 1e-9)
    assert noise_multiplier(high, delta) <= noise_multiplier(low, delta)


@given(ordinary_epsilons, ordinary_deltas, ordinary_deltas)
def test_more_delta_never_needs_more_noise(epsilon, one, other):
    low, high = sorted((one, other))
    assume(high > low * (1 + 1e-9))
    assert noise_multiplier(epsilon, high) <= noise_multiplier(epsilon, low)


@given(ordinary_epsilons, ordinary_deltas)
def test_profile_and_multiplier_are_inverse(epsilon, delta):
    assert privacy_profile(epsilon, noise_multiplier(epsilon, delta)) == pytest.approx(delta, rel=1e-10, abs=0)


@given(ordinary_epsilons, st.floats(-3, 3).map(lambda power: 10**power), st.floats(1.001, 10))
def test_more_noise_and_more_epsilon_give_less_delta(epsilon, multiplier, more):
    delta = privacy_profile(epsilon, multiplier)
    assert 0 <= privacy_profile(epsilon, multiplier * more) <= delta <= 1
    assert privacy_profile(epsilon * more + 1e-3, multiplier) <= delta


@pytest.mark.parametrize("epsilon", [math.nan, math.inf, -math.inf, -1e-300, -1])
def test_an_epsilon_out_of_range_is_refused_by_name(epsilon):
    for refuse in (noise_multiplier, classical_noise_multiplier):
        with pytest.raises(InputError, match=f"epsilon.*{epsilon!r}"):
            refuse(epsilon, 0.1)
    with pytest.raises(InputError, match=f"epsilon.*{epsilon!r}"):
        privacy_profile(epsilon, 1.0)


@pytest.mark.parametrize("delta", [math.nan, math.inf, -0.1, 0, 0.0, 1, 1.0, 2])
def test_a_delta_out_of_range_is_refused_by_name(delta):
    for refuse in (noise_multiplier, classical_noise_multiplier):
        with pytest.raises(InputError, match=f"delta.*{delta!r}"):
            refuse(1.0, delta)


@pytest.mark.parametrize("multiplier", [math.nan, math.inf, -1.0, 0.0, 1e-310])
def test_an_unusable_amount_of_noise_is_refused_by_name(multiplier):
    with pytest.raises(InputError, match=f"noise_multiplier.*{multiplier!r}"):
        privacy_profile(1.0, multiplier)


@pytest.mark.parametrize(("epsilon", "delta"), [(1.7e308, 0.1), (0, 5e-324), (1e-320, 5e-324)])
def test_extreme_budgets_are_met_or_refused_in_words(epsilon, delta):
    with contextlib.suppress(InputError):
        assert 0 < noise_multiplier(epsilon, delta) < math.inf


def test_the_classical_calibration_is_the_formula_and_refuses_epsilon_zero():
    assert classical_noise_multiplier(2, 1e-5) == pytest.approx(math.sqrt(2 * math.log(1.25e5)) / 2, rel=1e-15)
    with pytest.raises(InputError, match="epsilon"):
        classical_noise_multiplier(0, 0.1)


@pytest.mark.parametrize(("epsilon", "times"), [(1, 0), (8, 0.9), (9, 1.396), (40, 17505.1)])
def test_the_classical_calibration_misses_its_delta_at_large_epsilon(epsilon, times):
    reached = privacy_profile(epsilon, classical_noise_multiplier(epsilon, PAPER_DELTA))
    assert reached / PAPER_DELTA == (pytest.approx(times, rel=1e-3) if times > 1 else pytest.approx(times, abs=0.1))


@pytest.mark.parametrize(("releases", "expected"), [(1, 1), (2, 1.47), (10, 3.63), (100, 14.59)])
def test_releases_compose_as_the_root_of_the_sum_of_squares(releases, expected):
    mu = mu_of(noise_multiplier(1, PAPER_DELTA))
    assert composed_mu([mu] * releases) == pytest.approx(math.sqrt(releases) * mu)
    assert epsilon_of(composed_mu([mu] * releases), PAPER_DELTA) == pytest.approx(expected, abs=0.005)


@pytest.mark.parametrize(("hops", "expected"), [(2, 2.16), (5, 6.21)])
def test_hops_in_a_component_add_up(hops, expected):
    assert epsilon_of(hops / noise_multiplier(1, PAPER_DELTA), PAPER_DELTA) == pytest.approx(expected, abs=0.005)


@pytest.mark.parametrize("delta", [1e-300, 1e-15, PAPER_DELTA, 0.1, 0.9])
@pytest.mark.parametrize("mu", [1e-3, 0.1, 1, 10, 50])
def test_the_epsilon_of_a_mu_is_the_least_one_and_never_too_small(mu, delta):
    epsilon = epsilon_of(mu, delta)
    with mpmath.workdps(400):
        assert true_delta(epsilon, 1 / mpmath.mpf(mu)) <= mpmath.mpf(delta)
        less = epsilon * (1 - 1e-9) - 1e-9
        assert less < 0 or true_delta(less, 1 / mpmath.mpf(mu)) > mpmath.mpf(delta)


@given(st.floats(1e-3, 100), st.floats(1e-15, 0.5))
def test_epsilon_of_inverts_the_noise_multiplier(epsilon, delta):
    assert epsilon_of(mu_of(noise_multiplier(epsilon, delta)), delta) == pytest.approx(epsilon, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(("epsilon", "percent"), [(1, 55.4), (5, 71.5), (10, 84.4), (20, 95.9), (40, 99.8)])
def test_the_best_guess_of_one_of_two_neighbours_is_right_as_often_as_known(epsilon, percent):
    mu = mu_of(noise_multiplier(epsilon, PAPER_DELTA))
    assert 100 * distinguishing_accuracy(mu) == pytest.approx(percent, abs=0.05)


@pytest.mark.parametrize("value", [math.nan, math.inf, 0.0, -1.0])
def test_a_mu_out_of_range_is_refused_by_name(value):
    with pytest.raises(InputError, match=f"mu.*{value!r}"):
        epsilon_of(value, 0.1)
    with pytest.raises(InputError, match=f"noise_multiplier.*{value!r}"):
        mu_of(value)
    with pytest.raises(InputError, match="delta"):
        epsilon_of(1.0, value if value != math.inf else 1.0)
