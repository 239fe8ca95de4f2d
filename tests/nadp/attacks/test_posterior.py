import numpy as np
import pytest
from scipy.special import softmax

from nadp.attacks.posterior import NoisyWords
from nadp.noise import law_named

WORDS = np.array([0, 7, 7, 120])
PRIOR = np.random.default_rng(2).dirichlet(np.ones(240))


def noisy_words(clustered, law):
    return NoisyWords(law, clustered.vectors, PRIOR, np.arange(240))


@pytest.mark.parametrize("name", ["gaussian", "laplace", "mahalanobis"])
def test_the_posterior_is_prior_times_density(clustered, name):
    law = law_named(name).fitted(clustered)
    noise = law.draw(len(WORDS), 12, np.random.default_rng(0))
    gaussian = law.exponent == 2  # the others have one scale for all words
    scale = np.random.default_rng(1).uniform(0.1, 0.5, 240) if gaussian else np.full(240, 0.2)
    found = noisy_words(clustered, law).posterior(WORDS, noise, scale)
    y, points = (
        law.whitened(v).astype(float)
        for v in (clustered.vectors[WORDS] + scale[WORDS, None] * noise, clustered.vectors)
    )
    expected = softmax(law.log_density(y, points, scale) + np.log(PRIOR), axis=1)
    assert found == pytest.approx(expected, rel=1e-2, abs=1e-6)
    assert (expected.max(axis=1) < 0.999).any()
    assert found.sum(axis=1) == pytest.approx(np.ones(4))


def test_a_word_without_noise_is_known_among_those_of_its_vector(clustered):
    points = np.arange(240)
    points[1] = 0  # shares the vector of the first
    vectors = clustered.vectors.copy()
    vectors[1] = vectors[0]
    scale = np.full(240, 0.3)
    scale[[0, 1, 7]] = 0
    law = law_named("gaussian")
    noise = law.draw(len(WORDS), 12, np.random.default_rng(0))
    found = NoisyWords(law, vectors, PRIOR, points).posterior(WORDS, noise, scale)
    assert found[0, :2] == pytest.approx(PRIOR[:2] / PRIOR[:2].sum())
    assert found[1, 7] == 1
    assert not found[3, [0, 1, 7]].any()  # what is noisy is none of them
    assert found.sum(axis=1) == pytest.approx(np.ones(4))
