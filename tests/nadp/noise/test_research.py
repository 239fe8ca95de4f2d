"""Statistics are taken at fixed seeds. Each test would fail by chance for fewer than one seed in 100,000."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import factorial, factorial2

from nadp import InputError
from nadp.noise import MahalanobisNoise, base_draw, law_named, research_rng
from nadp.noise.mahalanobis import mahalanobis_root

UNLIKELY = 1e-6  # a smaller p-value is an error, not chance
FAMILIES = {
    "gaussian": (stats.norm, lambda k: factorial2(k - 1)),
    "laplace": (stats.laplace, factorial),
}  # even moments


@pytest.fixture(scope="module")
def words(sample):
    return sample.subset(range(2000))


@pytest.mark.parametrize("family", FAMILIES)
def test_a_base_draw_has_its_distribution_and_a_scale_off_by_a_tenth_would_show(words, family):
    draw = base_draw(law_named(family), words, np.random.default_rng(0))
    assert draw.shape == words.vectors.shape
    assert draw.dtype == np.float32
    law, moment = FAMILIES[family]
    values = draw.ravel().astype(float)
    assert stats.kstest(values, law.cdf).pvalue > UNLIKELY
    assert stats.kstest(1.1 * values, law.cdf).pvalue < UNLIKELY
    for power in (1, 2, 3, 4):
        expected = 0 if power % 2 else moment(power)
        spread = np.sqrt((moment(2 * power) - expected**2) / len(values))
        assert np.mean(values**power) == pytest.approx(expected, abs=5 * spread)


@pytest.mark.parametrize("family", ["gaussian", "laplace", "mahalanobis"])
def test_words_dimensions_and_repeats_are_uncorrelated(words, family):
    one, other = (
        base_draw(law_named(family), words, research_rng(0, family, repeat)).astype(float) for repeat in (0, 1)
    )
    for a, b in [(one, other), (one[:-1], one[1:])]:
        assert abs(np.corrcoef(a.ravel(), b.ravel())[0, 1]) < 0.05
    if family != "mahalanobis":
        assert abs(np.corrcoef(one[:, :-1].ravel(), one[:, 1:].ravel())[0, 1]) < 5 / np.sqrt(one.size)


@pytest.mark.parametrize("family", ["gaussian", "laplace", "mahalanobis"])
def test_the_mean_square_is_that_of_the_draws(words, family):
    squares = (base_draw(law_named(family), words, np.random.default_rng(1)).astype(float) ** 2).sum(axis=1)
    error = squares.std() / np.sqrt(len(squares))
    assert squares.mean() == pytest.approx(law_named(family).mean_square(words.dimension), abs=5 * error)
    assert error < 0.02 * squares.mean()


def test_seed_purpose_and_repeat_name_a_stream_and_nothing_else_does():
    keys = [(0, "gaussian", 0), (1, "gaussian", 0), (0, "laplace", 0), (0, "gaussian", 1), (1, "gaussian", 1)]
    streams = {key: research_rng(*key).bytes(16) for key in keys}
    assert len(set(streams.values())) == len(keys)
    np.random.seed(3)  # noqa: NPY002 - the global state must not matter
    assert {key: research_rng(*key).bytes(16) for key in reversed(keys)} == streams


def test_mahalanobis_noise_has_the_covariance_and_the_lengths_of_theory():
    d, n = 5, 40_000
    stretch = np.diag([3.0, 2, 1, 1, 0.5]) @ np.linalg.qr(np.random.default_rng(2).normal(size=(d, d)))[0]
    covariance = stretch.T @ stretch
    root = mahalanobis_root(covariance, 1.0)
    noise = MahalanobisNoise(root=root).draw(n, d, np.random.default_rng(3)).astype(float)
    # E[Y^2] / d = d + 1 times Sigma; the standard error of an entry is below .03 Sigma_ii Sigma_jj at this n.
    sigma = covariance * d / np.trace(covariance)
    np.testing.assert_allclose(np.cov(noise, rowvar=False), (d + 1) * sigma, atol=0.15 * (d + 1) * sigma.max())
    np.testing.assert_allclose(noise.mean(axis=0), 0, atol=5 * np.sqrt((d + 1) * sigma.max() / n))
    lengths = np.linalg.norm(noise @ np.linalg.inv(root), axis=1)
    assert stats.kstest(lengths, stats.gamma(d).cdf).pvalue > UNLIKELY
    assert stats.kstest(1.1 * lengths, stats.gamma(d).cdf).pvalue < UNLIKELY
    directions = noise @ np.linalg.inv(root) / lengths[:, None]
    for coordinate in directions.T:  # (1 + u_i) / 2 of a uniform direction is Beta((d - 1) / 2, (d - 1) / 2)
        assert stats.kstest((1 + coordinate) / 2, stats.beta((d - 1) / 2, (d - 1) / 2).cdf).pvalue > UNLIKELY


@pytest.mark.parametrize("regularisation", [0.0, 0.3, 1.0])
def test_the_root_is_symmetric_and_its_square_has_the_trace_of_the_unit_matrix(clustered, regularisation):
    c, d = clustered.covariance, clustered.dimension
    root = mahalanobis_root(c, regularisation)
    expected = regularisation * d / np.trace(c) * c + (1 - regularisation) * np.eye(d)
    np.testing.assert_allclose(root, root.T, atol=1e-12)
    np.testing.assert_allclose(root @ root, expected, atol=1e-12)
    assert np.trace(root @ root) == pytest.approx(d)
    assert (np.linalg.eigvalsh(root) > 0).all()


@pytest.mark.shared
def test_the_matrix_of_the_authors_is_reproduced(shared):
    with np.load(shared / "reference" / "sigma_mat.npz") as file:
        root = file["sigma_mat"]
    assert np.trace(root @ root) == pytest.approx(300)
    np.testing.assert_allclose(mahalanobis_root(7.5 * root @ root, 1.0), root, atol=1e-9)


SINGULAR = {
    "a direction without words": np.diag([1.0, 1, 0]),
    "rank one": np.ones((3, 3)),
    "one vector": np.zeros((3, 3)),
}


@pytest.mark.parametrize("covariance", SINGULAR.values(), ids=SINGULAR)
def test_a_singular_covariance_is_refused_unless_it_is_regularised(covariance):
    with pytest.raises(InputError, match="singular"):
        mahalanobis_root(covariance, 1.0)
    assert (np.linalg.eigvalsh(mahalanobis_root(covariance, 0.9)) > 0.3).all()


@pytest.mark.parametrize("regularisation", [-0.1, 1.1, float("nan")])
def test_a_regularisation_out_of_range_is_refused(regularisation):
    with pytest.raises(InputError, match=f"lambda.*{regularisation!r}"):
        MahalanobisNoise(regularisation)
