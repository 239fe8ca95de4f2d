import math

import numpy as np
import pytest

from nadp import MECHANISMS, EmbeddingSpace, InputError, Score, noise_multiplier
from nadp.experiment.curves import Curve, curves, recipe, scales, weights
from nadp.mechanisms import Additive, perturbed
from nadp.noise import base_draw

DELTA = 1e-4
ADDITIVE = [name for name, made in MECHANISMS.items() if issubclass(made, Additive)]


def test_an_experiment_has_a_curve_for_each_graph_of_nadp_and_one_for_each_other_mechanism():
    found = curves(["gaussian", "nadp", "mahalanobis", "gaussian"], [0.1, 0.5, 0.1], ["exact", "drop"])
    assert found == [
        Curve("none"),
        Curve("gaussian", 0.1, "exact"),
        Curve("nadp", 0.1, "exact"),
        Curve("nadp", 0.1, "drop"),
        Curve("nadp", 0.5, "exact"),
        Curve("nadp", 0.5, "drop"),
        Curve("mahalanobis"),
    ]
    assert len({curve.label for curve in found}) == len(found)


@pytest.mark.parametrize(
    ("lists", "message"),
    [
        (([], [0.1], ["exact"]), "mechanisms must not be empty"),
        ((["nadp"], [], ["exact"]), "taus must not be empty"),
        ((["nadp"], [0.1], []), "isolated must not be empty"),
        ((["magic"], [0.1], ["exact"]), "mechanism must be one of nadp, gaussian"),
    ],
)
def test_a_list_of_curves_that_makes_no_sense_is_refused(lists, message):
    with pytest.raises(InputError, match=message):
        curves(*lists)


@pytest.fixture(scope="module")
def space(clustered):
    return EmbeddingSpace.build(clustered, tau=0.5, isolated="exact")


@pytest.fixture(params=ADDITIVE)
def curve(request):
    graph = (0.5, "exact") if MECHANISMS[request.param].uses_graph else (None, None)
    return Curve(request.param, *graph)


def test_a_recipe_tells_how_much_noise_there_is(space, curve):
    mechanism = MECHANISMS[curve.mechanism]()
    found = recipe(space, curve, 2.0, DELTA)
    scale = mechanism.noise_scale(space, 2.0, DELTA)
    assert (found.curve, found.epsilon, found.delta) == (curve, 2.0, DELTA)
    assert found.multiplier == mechanism.multiplier(2.0, DELTA)
    assert found.median_scale == np.median(scale)
    assert found.without_noise == (space.neighbourhoods.was_isolated.mean() if curve.mechanism == "nadp" else 0)
    assert found.released == 1
    guarantee = mechanism.guarantee(space, 2.0, DELTA)
    assert found.guarantee == guarantee
    noise = [
        (perturbed(0 * space.vectors, base_draw(mechanism.noise, space.embeddings, rng), scale) ** 2).sum()
        for rng in map(np.random.default_rng, range(30))
    ]
    # Some 50,000 numbers: their mean square is known to about 2 %, its root to 1 %.
    assert found.noise_to_signal == pytest.approx(math.sqrt(np.mean(noise) / (space.vectors**2).sum()), rel=0.05)


def test_a_recipe_of_a_policy_that_drops_words_speaks_of_the_released_ones(clustered):
    space = EmbeddingSpace.build(clustered, tau=0.5, isolated="drop")
    found = recipe(space, Curve("nadp", 0.5, "drop"), 2.0, DELTA)
    assert found.released == space.released.mean() < 1
    assert found.without_noise == 0
    scale = noise_multiplier(2.0, DELTA) * space.sensitivity[space.released]
    assert found.median_scale == np.median(scale)
    lengths = np.linalg.norm(space.vectors[space.released], axis=1)
    expected = math.sqrt((scale**2).mean() * clustered.dimension / (lengths**2).mean())
    assert found.noise_to_signal == pytest.approx(expected, rel=1e-5)


def test_the_recipe_of_no_noise_says_that_no_word_has_any(space):
    found = recipe(space, Curve("none"), None, DELTA)
    assert (found.epsilon, found.multiplier, found.without_noise, found.noise_to_signal) == (None, 0, 1, 0)
    assert found.guarantee is None
    assert math.isnan(found.delta_reached)
    assert not scales(space, [found]).any()
    assert not weights(space, Curve("none")).any()


def test_the_scales_of_recipes_are_those_of_the_mechanism(space, curve):
    recipes = [recipe(space, curve, epsilon, DELTA) for epsilon in (1.0, 4.0)]
    mechanism = MECHANISMS[curve.mechanism]()
    expected = [mechanism.noise_scale(space, epsilon, DELTA) for epsilon in (1.0, 4.0)]
    assert np.array_equal(scales(space, recipes), expected)
    assert np.array_equal(weights(space, curve), mechanism.weights(space))


def test_the_figures_of_a_recipe_are_scores(space):
    found = recipe(space, Curve("nadp", 0.5, "exact"), 2.0, DELTA)
    scores = {score.metric: score for score in found.scores(240)}
    assert scores["share-without-noise"] == Score("noise", "share-without-noise", found.without_noise, 240, 1.0)
    assert scores["delta-reached"].value == pytest.approx(DELTA)
    assert {score.benchmark for score in scores.values()} == {"noise"}
    none = {score.metric: score.value for score in recipe(space, Curve("none"), None, DELTA).scores(240)}
    assert math.isnan(none["delta-reached"])


@pytest.mark.parametrize(("name", "epsilon"), [("laplacian", 0.0), ("nadp", -1.0), ("mahalanobis", 0.0)])
def test_a_recipe_that_a_mechanism_refuses_is_refused(space, name, epsilon):
    with pytest.raises(InputError, match="epsilon"):
        recipe(space, Curve(name, 0.5, "exact"), epsilon, DELTA)


@pytest.mark.parametrize("name", [name for name in ADDITIVE if not MECHANISMS[name].uses_graph])
def test_a_mechanism_that_looks_at_no_graph_says_the_same_whatever_the_graph(clustered, name):
    spaces = [EmbeddingSpace.build(clustered, tau=tau, isolated="exact") for tau in (0, 0.5, 1)]
    assert len({recipe(space, Curve(name), 2.0, DELTA).guarantee for space in spaces}) == 1
