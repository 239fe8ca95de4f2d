import numpy as np
import pytest
from scipy import stats
from scipy.spatial.distance import cdist

from nadp import EmbeddingSpace, InputError
from nadp.noise import LAWS, MahalanobisNoise, base_draw, law_named


@pytest.fixture(scope="module")
def words(sample):
    return sample.subset(range(500))


@pytest.fixture(params=[*LAWS, "mahalanobis(0.5)"])
def law(request, words):
    return law_named(request.param).fitted(words)


def test_the_size_of_noise_follows_a_gamma_law(words, law):
    scale = np.geomspace(0.1, 10, 500)
    sizes = []
    for seed in range(8):
        noise = scale[:, None] * base_draw(law, words, np.random.default_rng(seed)).astype(np.float64)
        found = law.sizes(law.whitened(noise), scale)
        sizes.append(found.values)
    assert found.shape == (25 if law.name == "gaussian" else 50)
    assert stats.kstest(np.concatenate(sizes), stats.gamma(found.shape).cdf).pvalue > 1e-3
    louder = law.sizes(law.whitened(3 * noise), scale).values / sizes[-1]
    np.testing.assert_allclose(louder**found.power, 3)


def test_the_standardised_numbers_have_the_law_that_comes_with_them(words, law):
    scale = np.geomspace(0.1, 10, 500)
    noise = law.whitened(scale[:, None] * base_draw(law, words, np.random.default_rng(0)).astype(np.float64))
    values, expected = law.standardised(noise, scale)
    assert stats.kstest(values, expected.cdf).pvalue > 1e-3
    assert stats.kstest(1.2 * values, expected.cdf).pvalue < 1e-3


def test_whitened_noise_is_alike_in_all_directions(words):
    law = MahalanobisNoise().fitted(words)
    noise = np.concatenate([base_draw(law, words, np.random.default_rng(seed)) for seed in range(40)])
    d = noise.shape[1]

    def unevenness(vectors):
        values = np.linalg.eigvalsh(np.cov(vectors.T))
        return values[-1] / values[0]

    assert unevenness(noise) > 10
    assert unevenness(law.whitened(noise)) < 1.5
    assert np.cov(law.whitened(noise).T).trace() / d == pytest.approx(d + 1, rel=0.05)
    for other in ("gaussian", "laplace"):
        np.testing.assert_array_equal(law_named(other).whitened(noise), noise)


def test_the_log_density_is_that_of_independent_packages_up_to_a_constant(words, law):
    rng, d = np.random.default_rng(1), words.dimension
    points = law.whitened(words.vectors[:20]).astype(np.float64)
    scale = np.full(20, 1.7) if law.exponent == 1 else rng.uniform(0.5, 3, 20)
    y = points[:7] + rng.normal(size=(7, d))
    found = law.log_density(y, points, scale)
    if law.name == "gaussian":
        expected = np.array([stats.norm(points[j], scale[j]).logpdf(y).sum(axis=1) for j in range(20)]).T
    elif law.name == "laplace":
        expected = np.array([stats.laplace(points[j], scale[j]).logpdf(y).sum(axis=1) for j in range(20)]).T
    else:  # Gamma(d) lengths, uniform directions: the density of the length over the area of the sphere
        length = cdist(y, points)
        expected = stats.gamma(d, scale=scale).logpdf(length) - (d - 1) * np.log(length)
    np.testing.assert_allclose(found - found[0, 0], expected - expected[0, 0], rtol=1e-9, atol=1e-9)


def test_key_and_law_are_an_inverse_pair():
    for law in (*(made() for made in LAWS.values()), MahalanobisNoise(0.25)):
        assert law_named(law.key) == law
    assert MahalanobisNoise(0.25).key != MahalanobisNoise().key
    with pytest.raises(InputError, match="'cauchy'"):
        law_named("cauchy")


def test_a_law_is_restored_from_its_arrays(words, law):
    again = law_named(law.key).restored(law.arrays())
    draws = [one.draw(5, words.dimension, np.random.default_rng(0)) for one in (law, again)]
    np.testing.assert_array_equal(*draws)


def test_mahalanobis_noise_without_its_covariance_is_refused():
    with pytest.raises(InputError, match="fitted"):
        MahalanobisNoise().draw(2, 3, np.random.default_rng(0))
    with pytest.raises(InputError, match="root"):
        MahalanobisNoise().restored({})
    with pytest.raises(InputError, match=r"1\.5"):
        MahalanobisNoise(1.5)


def test_the_narrowest_scale_is_that_of_the_shortest_axis(words):
    law = MahalanobisNoise().fitted(words)
    noise = law.draw(40_000, words.dimension, np.random.default_rng(0))
    shortest = np.sqrt(np.linalg.eigvalsh(np.cov(noise.T))[0] / (words.dimension + 1))
    assert law.narrowest(np.ones(1))[0] == pytest.approx(shortest, rel=0.05)


def test_the_mechanisms_take_their_law_from_the_same_embedding(sample):
    space = EmbeddingSpace.build(sample.subset(range(300)))
    law = MahalanobisNoise().fitted(space.embeddings)
    np.testing.assert_allclose(law.root @ law.root, _expected(space.embeddings.covariance), atol=1e-9)


def _expected(covariance):
    return covariance * len(covariance) / np.trace(covariance)
