import numpy as np
import pytest

from nadp import EmbeddingSpace
from nadp.experiment.curves import Curve, recipe
from nadp.experiment.neighbour_words import neighbour_words
from nadp.mechanisms import perturbed
from nadp.noise import base_draw, law_named
from tests import reference

WORDS = ["w3", "W7", "nowhere"]


@pytest.fixture(scope="module")
def space(clustered):
    return EmbeddingSpace.build(clustered, tau=0.5, isolated="exact")


def found(space, curve, epsilons, words=WORDS):
    recipes = [recipe(space, curve, epsilon, 1e-4) for epsilon in epsilons]
    draw = base_draw(law_named("gaussian"), space.embeddings, np.random.default_rng(0))
    return draw, recipes, neighbour_words(space, draw, recipes, words)


def test_without_noise_the_word_itself_is_left_out(space):
    _, _, shown = found(space, Curve("none"), [None])
    points = space.vectors.astype(float).tolist()
    for one, row in zip(shown, (3, 7), strict=True):
        assert one.nearest == tuple(f"w{i}" for i in reference.nearest(points[row], points, 4)[1:])
        assert not one.itself


def test_with_noise_the_nearest_words_are_those_of_the_loop_and_the_word_itself_is_marked(space):
    draw, recipes, shown = found(space, Curve("gaussian", 0.5, "exact"), [1.0, 40.0])
    points = space.vectors.astype(float).tolist()
    for one in shown:
        row = int(one.word[1:])
        scale = recipes[one.recipe].multiplier * np.full(len(space), space.neighbourhoods.global_sensitivity)
        noisy = perturbed(space.vectors, draw, scale)[row].astype(float).tolist()
        assert one.nearest == tuple(f"w{i}" for i in reference.nearest(noisy, points, 3))
        assert one.itself == (one.word in one.nearest)


def test_a_word_without_noise_comes_back_first(space):
    alone = int(np.flatnonzero(space.sensitivity == 0)[0])
    _, _, shown = found(space, Curve("nadp", 0.5, "exact"), [1.0], [f"w{alone}"])
    assert [(one.nearest[0], one.itself) for one in shown] == [(f"w{alone}", True)]


def test_words_that_are_not_released_are_left_out(clustered):
    space = EmbeddingSpace.build(clustered, tau=0.5, isolated="drop")
    dropped = int(np.flatnonzero(~space.released)[0])
    _, _, shown = found(space, Curve("nadp", 0.5, "drop"), [1.0], [f"w{dropped}"])
    assert shown == []
