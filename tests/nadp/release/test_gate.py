"""The gate: what must be refused is, with the reason; what it measures is what an attacker by hand gets."""

import math

import numpy as np
import pytest

from nadp import Embeddings, EmbeddingSpace, InputError
from nadp.errors import RefusedError
from nadp.mechanisms import MECHANISMS
from nadp.mechanisms.preconditions import WEAK, Measure, graph_measures
from nadp.noise.grid import grid_of
from nadp.release.basis import own_graph
from nadp.release.gate import Limits, draw_measures

EPSILON = "epsilon at delta 1e-06"
SILENT, UNEVEN = "the share of words without noise", "the share of edges with two scales"
ALONE = "the share of words that isolated='exact' leaves without a guarantee"
NEAREST, LIKELY, BITS = (
    "recovery by the nearest word",
    "recovery by the most likely word",
    "the p-value of the low-bits check",
)


@pytest.fixture(scope="module")
def with_copies(sample):
    """Words of which the last 50 share the vectors of the first 50."""
    few = sample.subset(range(250))
    named = [*few.words.tolist(), *(f"copy {i}" for i in range(50))]
    return Embeddings(named, np.concatenate([few.vectors, few.vectors[:50]]))


def guaranteed(space, scale=1.0):
    scale = np.broadcast_to(np.asarray(scale, dtype=np.float64), (len(space),))
    return {m.name: m for m in graph_measures(space, scale)}


def measured(space, epsilon, mechanism="nadp", grid=None, delta=1e-6, **limits):
    made = MECHANISMS[mechanism]()
    scale = made.noise_scale(space, epsilon, delta)[space.released]
    attacked = own_graph(space, mechanism).attacked
    found = draw_measures(attacked, made.multiplier(epsilon, delta), grid or grid_of(scale), Limits(**limits))
    assert [measure.name for measure in found] == [NEAREST, LIKELY, BITS]
    return {measure.name: measure for measure in found}


def refused(measures):
    return {name for name, measure in measures.items() if not measure.passed}


def test_noise_everywhere_and_one_scale_on_an_edge_pass(space):
    assert refused(guaranteed(space, space.sensitivity)) == set()
    assert refused(guaranteed(space, 3.0)) == set()


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan])
def test_each_word_without_noise_counts(space, bad):
    scale = np.ones(len(space))
    scale[[3, 14, 15]] = bad
    found = guaranteed(space, scale)
    assert SILENT in refused(found)
    assert found[SILENT].value == 3 / 400
    assert "isolated" in found[SILENT].would_help


def test_words_that_are_dropped_need_no_noise(sample):
    space = EmbeddingSpace.build(sample.subset(range(400)), tau=0.3, isolated="drop")
    assert 0 < space.released.sum() < 400
    assert refused(guaranteed(space, space.released.astype(float))) == set()
    assert refused(guaranteed(space, 1.0 - space.released)) == {SILENT}


def test_each_edge_with_two_scales_counts(space):
    edges = space.neighbourhoods.graph.edges
    points = space.embeddings.points
    one = edges[0, 0]
    scale = np.ones(len(space))
    scale[points.of_word == one] = 1 + 1e-15
    found = guaranteed(space, scale)
    assert refused(found) == {UNEVEN}
    assert found[UNEVEN].value == pytest.approx((edges == one).any(axis=1).mean())


def test_each_word_that_exact_leaves_alone_counts_whatever_its_noise(with_copies):
    """Isolated words have no neighbour: noise of any size guarantees nothing. Words that share a vector all count."""
    space = EmbeddingSpace.build(with_copies, tau=0.4, isolated="exact")
    joined = np.zeros(len(space), dtype=bool)
    for point in np.unique(space.neighbourhoods.graph.edges):
        joined |= space.embeddings.points.of_word == point
    assert 0.02 < joined.mean() < 0.98
    for scale in (1.0, joined.astype(float)):
        found = guaranteed(space, scale)
        assert ALONE in refused(found)
        assert found[ALONE].value == 1 - joined.mean()
        assert "isolated='nearest' or 'drop'" in found[ALONE].would_help


def test_exact_passes_where_no_word_is_alone_and_other_policies_have_nobody_without_a_guarantee_of_theirs(with_copies):
    assert refused(guaranteed(EmbeddingSpace.build(with_copies, tau=0.0, isolated="exact"))) == set()
    for isolated in ("nearest", "drop", "global"):
        space = EmbeddingSpace.build(with_copies, tau=0.4, isolated=isolated)
        assert space.neighbourhoods.was_isolated.any()
        assert guaranteed(space)[ALONE].value == 0


def budgeted(epsilon, delta=1e-6, words=1000, **more):
    made = MECHANISMS["nadp"]()
    found = made.budget_measures(epsilon, delta, words, **{"accept_weak_privacy": False} | more)
    return {measure.name: measure for measure in found}


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-6), (WEAK, 1e-6), (WEAK, 1e-9), (0.1, 1e-3), (WEAK, None)])
def test_an_epsilon_that_counts_passes(epsilon, delta):
    assert refused(budgeted(epsilon, delta)) == set()


@pytest.mark.parametrize("epsilon", [WEAK + 1e-9, 40.0])
def test_a_weak_epsilon_needs_its_users_word(epsilon):
    found = budgeted(epsilon)
    assert refused(found) == {EPSILON}
    assert "accept_weak_privacy" in found[EPSILON].would_help
    assert refused(budgeted(epsilon, accept_weak_privacy=True)) == set()


def test_a_large_delta_does_not_make_a_weak_epsilon_strong():
    """(1, .5) has the mu of an epsilon of 10.8 at 1e-6."""
    found = budgeted(1.0, 0.5)
    assert refused(found) == {EPSILON, "delta"}
    assert found[EPSILON].value == pytest.approx(10.81, abs=0.005)
    assert refused(budgeted(9.9, 1e-3)) == {EPSILON}


def test_a_delta_that_permits_to_expose_a_word_needs_its_users_word():
    assert refused(budgeted(0.01, 1 / 1000)) == set()
    assert refused(budgeted(0.01, math.nextafter(1 / 1000, 1))) == {"delta"}
    assert refused(budgeted(0.01, 0.02, accept_weak_privacy=True)) == set()


def test_recovery_is_what_an_attacker_by_hand_gets(tied):
    """So little noise that both attacks find every word that has a vector of its own, so much that hardly any."""
    space = EmbeddingSpace.build(tied, tau=0.0, adjacency=2)
    quiet = measured(space, 1e6, max_recovery=1.0)
    assert (quiet[NEAREST].value, quiet[LIKELY].value) == (1, 1)
    loud = measured(space, 0.01)
    assert loud[NEAREST].value < 0.2
    assert loud[LIKELY].value < 0.2


def test_recovery_agrees_with_draws_made_by_hand(space):
    """Against 20 draws of numpy's own noise, decoded by plain float64 distances; five standard errors."""
    rng, vectors, epsilon = np.random.default_rng(3), space.vectors.astype(np.float64), 40.0
    scale = MECHANISMS["nadp"]().noise_scale(space, epsilon, 1e-6)
    points = space.embeddings.points
    by_hand = {NEAREST: [], LIKELY: []}
    sigma = scale[points.first_word]
    places = points.vectors.astype(np.float64)
    for _ in range(20):
        noisy = vectors + scale[:, None] * rng.normal(size=vectors.shape)
        squares = (noisy**2).sum(1)[:, None] - 2 * noisy @ places.T + (places**2).sum(1)
        loss = squares / (2 * sigma**2) + places.shape[1] * np.log(sigma)
        by_hand[NEAREST].append((squares.argmin(1) == points.of_word).mean())
        by_hand[LIKELY].append((loss.argmin(1) == points.of_word).mean())
    found = measured(space, epsilon)
    for name, shares in by_hand.items():
        assert 0.02 < np.mean(shares) < 0.98
        assert found[name].value == pytest.approx(np.mean(shares), abs=5 * np.std(shares) + 5e-3)


@pytest.mark.parametrize("name", [NEAREST, LIKELY])
def test_recovery_above_the_limit_is_refused_and_at_the_limit_passes(space, name):
    assert name in refused(measured(space, 1e5, max_recovery=0.9))
    assert name not in refused(measured(space, 1e5, max_recovery=1.0))
    help_ = measured(space, 1e5)[name].would_help
    assert "smaller epsilon" in help_


def test_no_more_words_are_attacked_than_the_limits_say(space):
    for sample in (1, 7):
        value = measured(space, 40.0, sample=sample)[NEAREST].value
        assert value * sample == pytest.approx(round(value * sample))


def test_only_released_words_are_attacked(sample):
    space = EmbeddingSpace.build(sample.subset(range(400)), tau=0.3, isolated="drop")
    value = measured(space, 40.0)[NEAREST].value * space.released.sum()
    assert value == pytest.approx(round(value))


@pytest.mark.parametrize("mechanism", ["nadp", "gaussian"])
def test_low_order_bits_on_the_grid_give_no_word_away(space, mechanism):
    found = measured(space, 1.0, mechanism)[BITS]
    assert found.passed
    assert found.value >= found.limit == Limits().false_alarm


def test_a_message_names_measure_value_limit_and_help():
    bad = Measure("recovery", "recovery", 0.75, 0.5, False, "choose less")
    good = Measure("other", "something else", 0.1, 0.5, True, "never shown")
    assert str(bad) == "recovery is 0.75, the limit 0.5: choose less"
    error = RefusedError([good, bad, Measure("epsilon", "epsilon", 40.0, 10.0, False, "accept it")])
    assert isinstance(error, InputError)
    assert (
        str(error)
        == "not released: recovery is 0.75, the limit 0.5: choose less; epsilon is 40, the limit 10: accept it"
    )
    assert error.measures[0] is good


@pytest.mark.parametrize("recovery", [0.0, -0.1, 1.1, math.nan, math.inf])
def test_a_limit_of_recovery_out_of_range_is_refused(recovery):
    with pytest.raises(InputError, match="max_recovery"):
        Limits(max_recovery=recovery)


@pytest.mark.parametrize("sample", [0, -1])
def test_a_gate_that_attacks_nothing_is_refused(sample):
    with pytest.raises(InputError, match="attacked"):
        Limits(sample=sample)


@pytest.mark.parametrize("alarm", [0.0, -1.0, 1.0, math.nan])
def test_a_false_alarm_out_of_range_is_refused(alarm):
    with pytest.raises(InputError, match="false_alarm"):
        Limits(false_alarm=alarm)


@pytest.mark.parametrize("words", [2, 3, 20])
def test_a_handful_of_words_can_be_looked_at(words):
    rng = np.random.default_rng(words)
    few = Embeddings([f"w{i}" for i in range(words)], rng.normal(size=(words, 4)))
    found = measured(EmbeddingSpace.build(few, tau=0.0), 1.0)
    assert found[BITS].passed
    assert all(0 <= found[name].value <= 1 for name in (NEAREST, LIKELY))
