import math

import numpy as np
from scipy import stats

from nadp import EmbeddingSpace
from nadp.attacks.overlap_sweep import SIGMAS, overlap_sweep
from nadp.experiment.privacy import privacy


def swept(space, words, sigmas):
    draw = np.random.default_rng(0).standard_normal(space.vectors.shape).astype(np.float32)
    return draw, overlap_sweep(space, draw, words, sigmas)


def test_the_sigmas_are_the_papers():
    assert len(SIGMAS) == 21
    assert (SIGMAS[0], SIGMAS[1], SIGMAS[-1]) == (0, 0.05, 1)


def test_without_noise_every_overlap_is_one_even_if_the_neighbours_were_found_approximately(sample):
    space = EmbeddingSpace.build(sample.subset(range(2000)), search="annoy", recall=0.8)
    assert space.neighbours.recall < 1
    _, (found,) = swept(space, np.arange(300), [0.0])
    assert found.counts == (0,) * 19 + (300,)
    assert math.isnan(found.skewness)
    assert found.recovery == 1


def test_the_figures_are_those_of_the_privacy_measures(sample_space):
    words = np.arange(0, 2000, 7)
    draw, found = swept(sample_space, words, [0.3, 0.9])
    scales = np.repeat([[0.3], [0.9]], len(sample_space), axis=1)
    for at, scores in zip(found, privacy(sample_space, draw, scales, words), strict=True):
        expected = {score.metric: score.value for score in scores}
        assert at.skewness == expected["overlap-skewness"]
        assert at.recovery == expected["recovery-top1"]
        assert sum(at.counts) == len(words)
        middles = np.repeat((np.arange(20) + 0.5) / 20, at.counts)
        assert abs(stats.skew(middles, bias=False) - at.skewness) < 0.3
