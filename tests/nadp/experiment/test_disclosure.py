import math
from dataclasses import asdict

import numpy as np
import pytest

from nadp import EmbeddingSpace
from nadp.attacks.disclosure import Background, disclosed_by_groups
from nadp.experiment.curves import Curve, recipe
from nadp.experiment.disclosure import disclosure_scores
from nadp.experiment.metrics import SAMPLE, sample_of
from nadp.noise import base_draw

TOPICS = (np.arange(240) >= 20).astype(np.int64)
CURVES = [Curve("nadp", 0.5, "nearest"), Curve("laplacian", 0.5, "nearest"), Curve("mahalanobis")]


@pytest.fixture(scope="module")
def space(clustered):
    return EmbeddingSpace.build(clustered, tau=0.5)


def scored(space, curve, settings, **more):
    recipes = [recipe(space, curve, setting, 1e-4) for setting in settings]
    draw = space.vectors
    if curve.noise is not None:
        draw = base_draw(curve.made.noise.fitted(space.embeddings), space.embeddings, np.random.default_rng(0))
    found = disclosure_scores(space, draw, recipes, **({"repeat": 0, "seed": 0, "topics": TOPICS} | more))
    return [{score.metric.removeprefix("disclosure-"): score for score in scores} for scores in found]


def test_groups_are_looked_at_exactly(space):
    (found,) = scored(space, Curve("groups"), [6.0])
    made = Curve("groups").made.partition(space, 6)
    known = Background(space.vectors, np.full(240, 1 / 240), np.arange(240) >= 150, TOPICS)
    exact = asdict(disclosed_by_groups(made.labels, known))
    assert {name.replace("-", "_"): score.value for name, score in found.items()} == pytest.approx(
        {name: value for name, value in exact.items() if name not in ("recovery", "words")}
    )
    assert {(score.benchmark, score.items, score.coverage) for score in found.values()} == {("privacy", 240, 1.0)}
    assert 0 < found["one-topic"].value < 1


@pytest.mark.parametrize("curve", CURVES, ids=lambda curve: curve.mechanism)
def test_more_epsilon_discloses_more(space, curve):
    found = scored(space, curve, [0.5, 10.0, 400.0])
    for name in ("r2", "bits", "content-recovery", "one-topic"):
        values = [one[name].value for one in found]
        assert values == sorted(values)
        assert values[0] < values[-1]
    assert found[0]["mean-rank"].value > found[2]["mean-rank"].value
    assert found[2]["r2"].value > 0.9
    assert {score.items for one in found for score in one.values()} == {SAMPLE}


def test_without_noise_all_is_disclosed(space):
    (found,) = scored(space, Curve("none"), [None])
    values = {name: score.value for name, score in found.items()}
    expected = {"r2": 1, "bits": math.log2(240), "mean-rank": 1, "content-recovery": 1, "one-topic": 1}
    assert values == pytest.approx(expected)


def test_the_sample_depends_on_seed_and_repeat_and_topics_may_be_unknown(space):
    one, same, later, seeded = (
        scored(space, CURVES[0], [10.0], repeat=repeat, seed=seed, topics=None)
        for repeat, seed in [(1, 0), (1, 0), (2, 0), (1, 3)]
    )
    r2 = [found[0]["r2"].value for found in (one, same, later, seeded)]
    assert r2[0] == r2[1]
    assert len(set(r2)) == 3
    assert math.isnan(one[0]["one-topic"].value)


def test_words_that_are_not_released_play_no_part(clustered):
    dropping = EmbeddingSpace.build(clustered, tau=0.5, isolated="drop")
    released = int(dropping.released.sum())
    assert 1 < released < 240
    (found,) = scored(dropping, Curve("nadp", 0.5, "drop"), [1e-3])
    assert found["mean-rank"].value <= released
    assert found["bits"].value <= math.log2(released) + 1e-9


def test_fewer_of_many_words_are_looked_at():
    assert [sample_of(words) for words in (10, 20_000, 40_000, 10**6)] == [SAMPLE, SAMPLE, 50, 25]
