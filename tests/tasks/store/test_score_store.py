import json
from pathlib import Path

import numpy as np
import pytest

from nadp.experiment.curves import Curve, Recipe
from nadp.scores import Score
from tasks.perturbation import Draw
from tasks.store.artefacts import Artefact
from tasks.store.score_store import ScoreStore, scores_in, stored_scores

CURVE = Curve("nadp", 0.1, "exact")
DRAWS = [Draw("gaussian", 0, repeat, str(repeat) * 64) for repeat in (0, 1)]
EPSILONS = [float(epsilon) for epsilon in range(1, 126)]


def recipe(epsilon, curve=CURVE):
    return Recipe(curve, epsilon, 1e-5, 1 / epsilon, None, 1.0, 1.0, 0.0, 1.0)


RECIPES = [recipe(epsilon) for epsilon in EPSILONS]


class Killed(Exception):  # noqa: N818 - no error
    """The end of a run in the middle of its work."""


class Evaluation:
    """Two scores for each recipe, and a note of what was asked for."""

    def __init__(self, stop_after=None):
        self.asked = []
        self.stop_after = stop_after

    def __call__(self, recipes):
        if self.stop_after is not None and len(self.asked) == self.stop_after:
            raise Killed
        self.asked.append([one.epsilon for one in recipes])
        return [
            [
                Score("men", "spearman", 1 / 3 + one.epsilon, 7, 0.1 + 0.2, item_error=0.01),
                Score("men", "odd", 0.1, 7, 1.0, item_error=0.01),
            ]
            for one in recipes
        ]


@pytest.fixture
def store(home):  # noqa: ARG001 - the scores go there
    return ScoreStore("tasks.evaluation", "utility", [("men", Artefact("/here", "0" * 64, 3))])


def test_scores_come_back_as_they_were_and_at_their_place(store):
    found = list(store.scores(RECIPES[:2], 1, DRAWS[1], Evaluation()))
    assert found == [
        Score("men", metric, value, 7, coverage, "nadp", 0.1, "exact", epsilon, "epsilon", epsilon, 1, item_error=0.01)
        for epsilon in (1.0, 2.0)
        for metric, value, coverage in (("spearman", 1 / 3 + epsilon, 0.1 + 0.2), ("odd", 0.1, 1.0))
    ]
    assert found == list(store.scores(RECIPES[:2], 1, DRAWS[1], Evaluation(stop_after=0)))


def test_only_what_is_missing_is_computed(store):
    evaluation = Evaluation()
    list(store.scores(RECIPES[:3], 0, DRAWS[0], evaluation))
    found = list(store.scores([recipe(2.5), *RECIPES[:4]], 0, DRAWS[0], evaluation))
    assert evaluation.asked == [[1, 2, 3], [2.5, 4]]
    assert [score.epsilon for score in found] == [2.5, 2.5, 1, 1, 2, 2, 3, 3, 4, 4]


@pytest.mark.parametrize(
    "damaged", [b"", b"\0" * 9, b'[{"benchmark": "men", "met', b"{}x", b"[1]", b'[{"benchmark": "men"}]']
)
def test_a_damaged_file_is_computed_again(store, home, damaged):
    found = list(store.scores(RECIPES[:2], 0, DRAWS[0], Evaluation()))
    min((home / "scores").rglob("*.json")).write_bytes(damaged)
    evaluation = Evaluation()
    assert list(store.scores(RECIPES[:2], 0, DRAWS[0], evaluation)) == found
    assert len(evaluation.asked) == 1
    assert len(evaluation.asked[0]) == 1
    assert found == list(store.scores(RECIPES[:2], 0, DRAWS[0], Evaluation(stop_after=0)))


def test_many_recipes_are_computed_and_kept_fifty_at_a_time(store):
    evaluation = Evaluation(stop_after=2)
    with pytest.raises(Killed):
        list(store.scores(RECIPES, 0, DRAWS[0], evaluation))
    assert evaluation.asked == [EPSILONS[:50], EPSILONS[50:100]]
    evaluation = Evaluation()
    found = list(store.scores(RECIPES, 0, DRAWS[0], evaluation))
    assert evaluation.asked == [EPSILONS[100:]]
    assert [score.epsilon for score in found[::2]] == EPSILONS


def test_nothing_but_scores_is_left_in_the_store(store, home):
    list(store.scores(RECIPES[:3], 0, DRAWS[0], Evaluation()))
    assert len(files := [path for path in (home / "scores").rglob("*") if path.is_file()]) == 3
    assert {path.suffix for path in files} == {".json"}


@pytest.mark.parametrize(
    "other",
    [
        lambda: (
            ScoreStore("tasks.evaluation", "privacy", [("men", Artefact("/here", "0" * 64, 3))]),
            RECIPES,
            DRAWS[0],
        ),
        lambda: (
            ScoreStore("tasks.evaluation", "utility", [("men", Artefact("/here", "1" * 64, 3))]),
            RECIPES,
            DRAWS[0],
        ),
        lambda: (ScoreStore("tasks.space", "utility", [("men", Artefact("/here", "0" * 64, 3))]), RECIPES, DRAWS[0]),
        lambda: (None, RECIPES, DRAWS[1]),
        lambda: (None, RECIPES, None),
        lambda: (None, [recipe(e, Curve("nadp", 0.1, "global")) for e in EPSILONS], DRAWS[0]),
    ],
    ids=["evaluation", "benchmark", "source", "draw", "no draw", "curve"],
)
def test_whatever_a_score_depends_on_gives_it_a_place_of_its_own(store, other):
    list(store.scores(RECIPES[:3], 0, DRAWS[0], Evaluation()))
    another, recipes, draw = other()
    evaluation = Evaluation()
    list((another or store).scores(recipes[:3], 0, draw, evaluation))
    assert evaluation.asked == [[1, 2, 3]]


def test_where_a_file_of_a_benchmark_lies_makes_no_difference(store):
    list(store.scores(RECIPES[:3], 0, DRAWS[0], Evaluation()))
    moved = ScoreStore("tasks.evaluation", "utility", [("men", Artefact("/there", "0" * 64, 3))])
    assert len(list(moved.scores(RECIPES[:3], 0, DRAWS[0], Evaluation(stop_after=0)))) == 6


def test_an_evaluation_that_forgets_a_recipe_is_found_out(store):
    with pytest.raises(ValueError, match="shorter"):
        list(store.scores(RECIPES[:3], 0, DRAWS[0], lambda some: Evaluation()(some)[:-1]))


def test_a_file_of_scores_holds_them_all(home):  # noqa: ARG001
    scores = [
        Score("men", "spearman", 1 / 3, 7, 0.5, item_error=0.01),
        Score("privacy", "recovery", float("nan"), 0, 0.0, "nadp", 0.1, "exact", 1.0, 4),
    ]
    found = stored_scores(iter(scores))
    assert found.is_intact()
    back = scores_in(Path(found.path))
    assert back[0] == scores[0]
    assert np.isnan(back[1].value)
    assert repr(back) == repr(scores)
    assert len(json.loads(Path(found.path).read_text(encoding="utf-8"))) == 2
