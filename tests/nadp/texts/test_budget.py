"""The guarantee for a text: against Google's accounting, by inverse pairs, and as noise that is really there."""

import math

import mpmath
import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from nadp import InputError, privacy_profile
from nadp.calibration import epsilon_of, noise_multiplier
from nadp.mechanisms import Guarantee
from nadp.release.ledger import BudgetError
from nadp.texts import TextBudget
from tests.nadp.texts.planting import GAUSSIAN, PURE, planted, text_of

DELTA = 1e-6
SURELY = 1e-6
KINDS = {
    "gaussian": Guarantee("gaussian", "(epsilon, delta)-DP", 1.0, DELTA, mu=1 / noise_multiplier(1.0, DELTA)),
    "laplace": Guarantee("laplacian", "epsilon-DP", 1.0, 0.0),
    "metric": Guarantee("mahalanobis", "metric DP", 1.0, 0.0),
}
guarantees = st.sampled_from(list(KINDS.values()))
counts = st.integers(1, 10**6)
epsilons = st.floats(0.05, 60)


def closed_form(epsilon, mu):
    """Delta of Gaussian noise of sensitivity mu, to many digits (Balle and Wang 2018)."""
    with mpmath.workdps(60):
        mu, epsilon = mpmath.mpf(mu), mpmath.mpf(epsilon)
        left = mpmath.ncdf(mu / 2 - epsilon / mu)
        return left - mpmath.exp(epsilon) * mpmath.ncdf(-mu / 2 - epsilon / mu)


@pytest.mark.parametrize("count", [2, 3, 10, 100])
@pytest.mark.parametrize("delta", [None, 1e-4, 1e-9])
def test_many_tokens_cost_what_googles_accounting_says(count, delta):
    guarantee = KINDS["gaussian"]
    epsilon, at = guarantee.of_tokens(count, delta)
    assert at == (delta or DELTA)
    one = privacy_loss_distribution.from_gaussian_mechanism(1 / guarantee.mu, value_discretization_interval=1e-3)
    assert epsilon == pytest.approx(one.self_compose(count).get_epsilon_for_delta(at), rel=2e-3)


@given(counts, st.floats(1e-12, 0.3))
def test_the_epsilon_of_many_tokens_is_the_least_that_the_closed_form_allows(count, delta):
    guarantee = KINDS["gaussian"]
    epsilon, _ = guarantee.of_tokens(count, delta)
    mu = math.sqrt(count) * guarantee.mu
    assert closed_form(epsilon, mu) <= delta
    assert epsilon == 0 or closed_form(epsilon * (1 - 1e-9) - 1e-9, mu) > delta


@given(counts)
def test_the_epsilon_of_laplace_and_metric_noise_grows_with_the_count(count):
    for kind in ("laplace", "metric"):
        assert KINDS[kind].of_tokens(count) == (count, 0.0)


@given(guarantees)
def test_one_token_costs_what_the_guarantee_says_and_none_nothing(guarantee):
    assert guarantee.of_tokens(1) == (guarantee.epsilon, guarantee.delta)
    assert guarantee.of_tokens(0) == (0.0, 0.0)


@given(guarantees, epsilons, st.sampled_from([None, 1e-9, 1e-3]))
def test_the_tokens_within_a_budget_are_all_that_keep_it_without_more_noise(guarantee, epsilon, delta):
    budget = TextBudget(epsilon, delta)
    most = budget.tokens_within(guarantee)
    assert most == 0 or budget.factor(guarantee, most) == 1
    assert budget.factor(guarantee, most + 1) > 1
    if most:
        assert guarantee.of_tokens(most, delta)[0] <= epsilon * (1 + 1e-9)
    assert guarantee.of_tokens(most + 1, delta)[0] > epsilon * (1 - 1e-9)


@given(guarantees, counts, st.sampled_from([None, 1e-9, 1e-3]))
def test_a_budget_of_what_some_tokens_cost_holds_just_these(guarantee, count, delta):
    budget = TextBudget(guarantee.of_tokens(count, delta)[0], delta)
    within = budget.tokens_within(guarantee)
    assert count <= within <= count * (1 + 1e-8)  # the epsilon of many tokens is rounded up
    assert budget.factor(guarantee, count) == 1


@pytest.mark.parametrize(("one", "text", "tokens"), [(0.1, 0.3, 3), (0.1, 0.7, 7), (1 / 3, 1.0, 3), (0.7, 2.1, 3)])
def test_no_token_is_lost_by_a_division(one, text, tokens):
    for kind in ("epsilon-DP", "metric DP"):
        guarantee = Guarantee("laplacian", kind, one, 0.0)
        assert TextBudget(text).tokens_within(guarantee) == tokens
        assert TextBudget(text).factor(guarantee, tokens) == 1


@given(counts, epsilons, st.sampled_from([None, 1e-9, 1e-3]))
def test_the_factor_makes_gaussian_tokens_meet_the_budget_exactly(count, epsilon, delta):
    guarantee, budget = KINDS["gaussian"], TextBudget(epsilon, delta)
    factor = budget.factor(guarantee, count)
    mu = math.sqrt(count) * guarantee.mu / factor
    assert privacy_profile(epsilon, 1 / mu) <= (delta or DELTA) * (1 + 1e-12)
    if factor > 1:
        assert epsilon_of(mu, delta or DELTA) == pytest.approx(epsilon, rel=1e-9)


@given(counts, epsilons)
def test_the_factor_makes_other_tokens_meet_the_budget_exactly(count, epsilon):
    for kind in ("laplace", "metric"):
        factor = TextBudget(epsilon).factor(KINDS[kind], count)
        assert factor == 1 or count / factor == pytest.approx(epsilon, rel=1e-14)
        assert count / factor <= epsilon * (1 + 2e-15)


@given(guarantees, counts, epsilons)
def test_more_tokens_or_a_smaller_budget_never_need_less_noise(guarantee, count, epsilon):
    budget = TextBudget(epsilon)
    assert 1 <= budget.factor(guarantee, count) <= budget.factor(guarantee, count + 1)
    assert budget.factor(guarantee, count) <= TextBudget(epsilon / 2).factor(guarantee, count)


@pytest.mark.parametrize("epsilon", [0.0, -1.0, math.nan, math.inf])
def test_a_budget_that_is_none_is_refused_with_its_value(epsilon):
    with pytest.raises(InputError, match=f"above 0 and finite, not {epsilon!r}"):
        TextBudget(epsilon)


def test_another_way_to_keep_a_budget_is_refused():
    with pytest.raises(InputError, match="spread or refuse, not 'cut'"):
        TextBudget(1.0, over="cut")


@pytest.mark.parametrize("delta", [0.0, 1.0, -1e-6, math.nan])
def test_a_delta_out_of_range_is_refused_with_its_value(delta):
    with pytest.raises(InputError, match=f"delta.*{delta!r}"):
        TextBudget(1.0, delta).factor(KINDS["gaussian"], 3)
    with pytest.raises(InputError, match=f"delta.*{delta!r}"):
        KINDS["gaussian"].of_tokens(3, delta)


def test_a_text_over_budget_is_refused_with_number_tokens_and_figures(encoder):
    texts = ["the", "the of and", "the of and to in a"]
    with pytest.raises(BudgetError) as caught:
        encoder.encode(texts, budget=TextBudget(4.0, over="refuse"))
    epsilon, _ = encoder.guarantee.of_tokens(6)
    assert f"text 2 has 6 tokens, which together cost an epsilon of {epsilon:.4g}" in str(caught.value)
    assert "more than the budget of 4: at most 3 tokens keep it" in str(caught.value)
    kept = encoder.encode(texts[:2], budget=TextBudget(4.0, over="refuse"))
    assert kept.factors.tolist() == [1, 1]


def test_fillers_count_and_tokens_that_were_cut_do_not(encoder):
    budget = TextBudget(4.0, over="refuse")
    assert budget.tokens_within(encoder.guarantee) == 3
    assert encoder.encode(["the of and to in a"], budget=budget, length=3).factors.tolist() == [1]
    with pytest.raises(BudgetError, match="text 0 has 4 tokens"):
        encoder.encode(["the"], budget=budget, length=4)


def test_unknown_tokens_cost_nothing_where_they_are_left_out(encoder):
    found = encoder.encode(["the xqzv xqzv xqzv xqzv of and"], budget=TextBudget(4.0, over="refuse"))
    assert found.unknown.tolist() == [4]
    assert found.factors.tolist() == [1]


@pytest.mark.parametrize("family", ["gaussian", "laplace", "mahalanobis"])
def test_where_a_budget_is_spread_the_noise_is_really_larger_and_only_there(family):
    """Texts of different lengths in one call; their noise in units of the usual one is the factor."""
    dimension, repeats = 6, 400
    encoder = planted(np.zeros((2, dimension)), 1.0, family)
    lengths = [1, 4, 25, 0, 100]
    budget = TextBudget(encoder.guarantee.of_tokens(4)[0])
    texts = [text_of(encoder, [i % 2 for i in range(length)]) for length in lengths] * repeats
    found = encoder.encode(texts, budget=budget)
    one = math.sqrt if family == "gaussian" else float
    expected = [1, 1, one(25) / one(4), 1, one(100) / one(4)]
    assert found.factors.reshape(repeats, -1) == pytest.approx(np.tile(expected, (repeats, 1)), rel=1e-9)
    factors = np.repeat(found.factors, found.lengths)
    level = found.vectors.astype(np.float64)
    if family == "mahalanobis":
        level = encoder.noise.law.whitened(level)
    order, shape = (1, dimension) if family == "laplace" else (2, dimension)
    sizes = np.linalg.norm(level, ord=order, axis=1)
    for factor in np.unique(factors):
        part = sizes[factors == factor] / factor
        law = stats.chi(dimension) if family == "gaussian" else stats.gamma(shape)
        assert stats.kstest(part, law.cdf).pvalue > SURELY


def test_without_a_budget_and_under_one_that_is_kept_the_noise_is_the_usual_one(encoder):
    texts = ["the of and to", "", "the"]
    for budget in (None, TextBudget(encoder.guarantee.of_tokens(4)[0]), TextBudget(100.0)):
        assert encoder.encode(texts, budget=budget).factors.tolist() == [1, 1, 1]


def test_the_factor_depends_on_the_number_of_tokens_only(encoder):
    budget = TextBudget(1.0)
    found = encoder.encode(["the of and", "police bank money", "The, and"], budget=budget)
    assert len(set(found.factors.tolist())) == 1
    assert found.factors[0] == budget.factor(encoder.guarantee, 3)


@pytest.mark.parametrize("guarantee", [GAUSSIAN, PURE])
def test_the_delta_of_a_budget_is_that_of_the_text(guarantee):
    loose, strict = (TextBudget(2.0, delta).factor(guarantee, 50) for delta in (1e-3, 1e-12))
    assert (loose < strict) == (guarantee.mu is not None)
