import numpy as np
import pytest
from scipy.stats import gamma, kstest

from nadp import EmbeddingSpace
from nadp.mechanisms import base_draw
from nadp.noise.laws import noise_sizes, straight


@pytest.mark.parametrize("family", ["gaussian", "laplace", "mahalanobis"])
def test_the_size_of_noise_follows_a_gamma_law(sample, family):
    space = EmbeddingSpace.build(sample.subset(range(500)))
    scale = np.geomspace(0.1, 10, 500)
    sizes = []
    for seed in range(8):
        noise = scale[:, None] * base_draw(family, space.embeddings, np.random.default_rng(seed)).astype(np.float64)
        found = noise_sizes(family, straight(family, space, noise), scale)
        sizes.append(found.values)
    assert found.shape == (25 if family == "gaussian" else 50)
    assert kstest(np.concatenate(sizes), gamma(found.shape).cdf).pvalue > 1e-3
    louder = noise_sizes(family, straight(family, space, 3 * noise), scale).values / sizes[-1]
    np.testing.assert_allclose(louder**found.power, 3)


def test_straight_noise_is_alike_in_all_directions(sample):
    space = EmbeddingSpace.build(sample.subset(range(500)))
    noise = np.concatenate(
        [base_draw("mahalanobis", space.embeddings, np.random.default_rng(seed)) for seed in range(40)]
    )
    d = noise.shape[1]

    def unevenness(vectors):
        values = np.linalg.eigvalsh(np.cov(vectors.T))
        return values[-1] / values[0]

    assert unevenness(noise) > 10
    assert unevenness(straight("mahalanobis", space, noise)) < 1.5
    assert np.cov(straight("mahalanobis", space, noise).T).trace() / d == pytest.approx(d + 1, rel=0.05)
    for family in ("gaussian", "laplace"):
        np.testing.assert_array_equal(straight(family, space, noise), noise)
