import math

import numpy as np
import pytest
from scipy import stats

from nadp import EmbeddingSpace
from nadp.experiment.privacy import attacked_words, privacy
from tests import reference


def figures(space, draw, scale, words=None):
    return {s.metric: s for s in privacy(space, draw, np.asarray(scale, dtype=float)[None, :], words)[0]}


def normal(space, seed=0):
    return np.random.default_rng(seed).normal(size=space.vectors.shape).astype(np.float32)


def values(found):
    return {metric: score.value for metric, score in found.items()}


def test_without_noise_every_word_is_recovered_and_the_papers_figure_is_not_defined(embeddings):
    space = EmbeddingSpace.build(embeddings)
    found = figures(space, normal(space), np.zeros(len(space)))
    for metric in ("recovery-top1", "recovery-top5", "recovery-top10", "overlap-mean", "overlap-half"):
        assert found[metric].value == 1
    assert math.isnan(found["overlap-skewness"].value)
    assert found["overlap-skewness-plain"].value == 0  # as in the authors' code


@pytest.mark.parametrize("n_neighbours", [3, 10])
def test_the_figures_are_those_of_the_loops(embeddings, n_neighbours):
    space = EmbeddingSpace.build(embeddings, n_neighbours=n_neighbours)
    draw, scale = normal(space), np.linspace(0, 1.5, len(space))
    of_word, first = reference.distinct(space.vectors)
    points = space.vectors[first].astype(float).tolist()
    lists = reference.neighbour_lists(points, n_neighbours)
    noisy = (space.vectors.astype(float) + scale[:, None] * draw).tolist()
    nearest = [reference.nearest(y, points, 10) for y in noisy]
    p = [float(reference.jaccard(lists[i], own[:n_neighbours])) for i, own in zip(of_word, nearest, strict=True)]
    expected = {
        f"recovery-top{top}": np.mean([i in own[:top] for i, own in zip(of_word, nearest, strict=True)])
        for top in (1, 5, 10)
    }
    expected |= {"overlap-mean": np.mean(p), "overlap-half": np.mean([value >= 0.5 for value in p])}
    expected |= {"overlap-skewness": stats.skew(p, bias=False), "overlap-skewness-plain": stats.skew(p)}
    found = figures(space, draw, scale)
    assert values(found) == pytest.approx(expected)
    assert {(score.items, score.coverage) for score in found.values()} == {(len(space), 1)}
    assert 0.05 < expected["recovery-top1"] < expected["recovery-top10"] < 1


def test_a_planted_word_without_noise_is_found_among_noisy_ones(clustered):
    space = EmbeddingSpace.build(clustered)
    scale = np.full(len(space), 1e4)
    planted = np.array([5, 100, 200])
    scale[planted] = 0
    found = figures(space, normal(space), scale)
    assert 3 / 240 <= found["recovery-top1"].value < 6 / 240
    assert figures(space, normal(space), scale, planted)["recovery-top1"].value == 1


def test_several_amounts_of_noise_give_what_each_gives_alone(clustered):
    space = EmbeddingSpace.build(clustered, tau=0.5, isolated="drop")
    draw, scales = normal(space), np.outer([0.1, 1.0], np.ones(len(space)))
    for found, scale in zip(privacy(space, draw, scales), scales, strict=True):
        assert {s.metric: s.value for s in found} == pytest.approx(values(figures(space, draw, scale)))
        assert {(s.items, s.coverage) for s in found} == {(space.released.sum(), space.released.mean())}


def test_attacked_words_are_a_sorted_sample_of_the_released_ones(clustered):
    space = EmbeddingSpace.build(clustered, tau=0.5, isolated="drop")
    released = np.flatnonzero(space.released)
    found = attacked_words(space, 50, np.random.default_rng(0))
    assert len(found) == 50 == len(set(found.tolist()) & set(released.tolist()))
    assert (np.diff(found) > 0).all()
    assert attacked_words(space, 10**6, np.random.default_rng(0)).tolist() == released.tolist()
    assert found.tolist() != attacked_words(space, 50, np.random.default_rng(1)).tolist()
