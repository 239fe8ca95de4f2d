from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nadp import InputError
from nadp.groups import best_success, bound_with_ratio, posterior_bound, prior_ratio, success_with, together
from tests import reference


@st.composite
def cases(draw):
    """Labels of up to eight words in up to three groups, and two priors."""
    words = draw(st.integers(1, 8))
    names = draw(st.lists(st.integers(0, 2), min_size=words, max_size=words))
    labels = np.unique(names, return_inverse=True)[1]
    weights = st.lists(st.integers(1, 9), min_size=words, max_size=words)
    return labels, np.array(draw(weights), dtype=np.float64), np.array(draw(weights), dtype=np.float64)


def groups_of(labels):
    return [np.flatnonzero(labels == group).tolist() for group in range(labels.max() + 1)]


def exact(weights):
    return [Fraction(int(w), int(weights.sum())) for w in weights]


@given(cases())
def test_no_attacker_finds_more_tokens_or_is_surer_than_is_said(case):
    labels, weights, _ = case
    groups, prior = groups_of(labels), exact(weights)
    assert best_success(labels, weights) == pytest.approx(float(reference.best_guess(groups, prior)), abs=1e-12)
    surest = max(reference.posterior(groups, prior, word) for word in range(len(labels)))
    assert posterior_bound(labels, weights) == pytest.approx(float(surest), abs=1e-12)


@given(cases())
def test_with_a_uniform_prior_the_best_attacker_finds_as_many_words_as_there_are_groups(case):
    labels, _, _ = case
    assert best_success(labels, np.ones(len(labels))) == pytest.approx((labels.max() + 1) / len(labels))


@given(cases())
def test_a_prior_that_is_off_by_a_factor_raises_the_posterior_to_the_bound_at_most(case):
    labels, stated, true = case
    groups, prior = groups_of(labels), exact(true)
    bound = bound_with_ratio(posterior_bound(labels, stated), prior_ratio(labels, stated, true))
    surest = max(reference.posterior(groups, prior, word) for word in range(len(labels)))
    assert float(surest) <= bound * (1 + 1e-12)


@pytest.mark.parametrize(("share", "rho"), [(0.3, 1), (0.3, 2), (0.2, 7.5), (0.5, 100)])
def test_the_bound_with_a_factor_is_reached(share, rho):
    stated = np.array([share, 1 - share])
    true = stated * [rho, 1]
    assert bound_with_ratio(share, rho) == pytest.approx(float(true[0] / true.sum()))
    assert prior_ratio(np.zeros(2, dtype=int), stated, true) == pytest.approx(rho)


@given(cases())
def test_an_attacker_with_a_wrong_prior_names_the_word_that_it_holds_for_the_most_probable(case):
    labels, assumed, true = case
    prior = exact(true)
    found = sum(prior[max(group, key=lambda word: (assumed[word], -word))] for group in groups_of(labels))
    assert success_with(labels, assumed, true) == pytest.approx(float(found), abs=1e-12)
    assert success_with(labels, true, true) == pytest.approx(best_success(labels, true), abs=1e-12)


def test_a_word_that_cannot_occur_makes_the_ratio_infinite_unless_its_whole_group_cannot():
    labels = np.array([0, 0, 1, 1])
    assert prior_ratio(labels, np.ones(4), np.array([1.0, 0, 1, 1])) == np.inf
    assert prior_ratio(labels, np.ones(4), np.array([0, 0, 2.0, 1])) == 2


@pytest.mark.parametrize(("bound", "rho"), [(0, 2), (1.1, 2), (0.3, 0.5), (0.3, np.inf), (np.nan, 1)])
def test_what_is_no_bound_or_ratio_is_refused(bound, rho):
    with pytest.raises(InputError):
        bound_with_ratio(bound, rho)


@given(cases(), st.lists(st.integers(0, 2), min_size=8, max_size=8))
def test_two_partitions_together_tell_the_words_that_are_in_both_groups(case, names):
    labels, weights, _ = case
    other = np.array(names[: len(labels)])
    both = groups_of(together(labels, other))
    assert sorted(both) == sorted(
        [word for word in range(len(labels)) if (labels[word], other[word]) == pair]
        for pair in set(zip(labels.tolist(), other.tolist(), strict=True))
    )
    assert best_success(together(labels, other), weights) >= best_success(labels, weights) - 1e-12
    assert best_success(together(labels, *[labels] * 24), weights) == best_success(labels, weights)
