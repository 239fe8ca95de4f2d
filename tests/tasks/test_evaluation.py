"""How far an evaluation is: counted in units, those that were found in the score store counting at once."""

import pytest

from nadp.experiment.curves import Curve
from nadp.runtime.progress import reporting
from tasks.embedding import download_glove, frequency_filter_vocab
from tasks.evaluation import UNIT, privacy
from tasks.perturbation import draw, perturb
from tasks.space import annoy_index, components, neighbour_graph

CURVE = Curve("nadp", 0.1, "nearest")


@pytest.fixture
def space(home):  # noqa: ARG001 - all files go there
    kept = frequency_filter_vocab.fn(download_glove.fn("sample"), 300, [])
    neighbours = annoy_index.fn(kept.embeddings, 10, "exact", 0.95, 0)
    return components.fn(kept.embeddings, neighbours, neighbour_graph.fn(neighbours, CURVE.tau, 2), CURVE.isolated)


def units_told(space, epsilons, draws):
    told = []

    def listener(stage):
        if stage.unit == UNIT and not stage.ended:
            told.append((stage.name, stage.done, stage.total))

    recipes = [perturb.fn(space, CURVE, epsilon, 1e-3) for epsilon in epsilons]
    with reporting(listener):
        privacy.fn(space, recipes, draws, 0)
    assert {name for name, _, _ in told} == {f"privacy {CURVE.label}"}
    return [(done, total) for _, done, total in told]


def test_units_are_counted_as_they_are_computed_and_at_once_where_they_are_there_already(space):
    draws = draw.fn(space.embeddings, "gaussian", 3, 0)
    assert units_told(space, [1.0, 5.0], draws) == [(0, 6), (2, 6), (4, 6), (6, 6)]
    assert units_told(space, [1.0, 5.0], draws) == [(6, 6)]
    assert units_told(space, [1.0, 2.0, 5.0], draws) == [(6, 9), (7, 9), (8, 9), (9, 9)]


def test_without_noise_there_is_one_unit(space):
    assert units_told(space, [1.0], []) == [(0, 1), (1, 1)]
