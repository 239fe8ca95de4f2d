"""The noise of tokens: its law, its independence, its grid, and that each token has the noise of its own word.

It has no seed, so that limits are such that a false alarm is out of question.
"""

import math

import numpy as np
import pytest
from scipy import stats

from nadp import EmbeddingSpace, TextEncoder
from nadp.noise import GridNoise, MahalanobisNoise, law_named
from nadp.noise.grid import _ROWS
from tests.nadp.texts.planting import FAMILIES, far_apart, noise_of, root_of

SURELY = 1e-6
SIX = 6.0  # standard errors
N, D, T = 30, 12, 12_000


@pytest.fixture(scope="module", params=FAMILIES)
def drawn(request):
    """Tokens of 30 words: how their noise was asked for, what came out, and the noise in it, whitened."""
    rng = np.random.default_rng(5)
    vectors = rng.normal(size=(N, D)).astype(np.float32)
    noise = noise_of(request.param, 2.0 ** rng.uniform(-3, 3, N), D)
    rows = rng.integers(0, N, T)
    factors = np.where(np.arange(T) % 3, 1.0, rng.uniform(1, 7.9, T))
    found = noise.added_to(vectors, rows, factors)
    left = found.astype(np.float64) - vectors[rows]
    level = noise.law.whitened(left)
    return noise, rows, noise.scale[rows] * factors, found, level


def test_the_size_of_each_tokens_noise_has_the_law_of_its_family(drawn):
    noise, _, scale, _, level = drawn
    sizes = noise.law.sizes(level, scale)
    assert stats.kstest(sizes.values, stats.gamma(sizes.shape).cdf).pvalue > SURELY
    assert sizes.values.mean() == pytest.approx(sizes.shape, abs=SIX * math.sqrt(sizes.shape / T))


def test_the_size_has_that_law_for_each_word_and_each_factor_alike(drawn):
    noise, rows, scale, _, level = drawn
    sizes = noise.law.sizes(level, scale)
    for part in (rows[:, None] == np.arange(N)).T:
        assert stats.kstest(sizes.values[part], stats.gamma(sizes.shape).cdf).pvalue > SURELY / 10
    widened = scale > noise.scale[rows]
    for part in (widened, ~widened):
        assert stats.kstest(sizes.values[part], stats.gamma(sizes.shape).cdf).pvalue > SURELY


def test_components_are_unbiased_and_alike_in_all_directions(drawn):
    noise, _, scale, _, level = drawn
    unit = level / scale[:, None]
    variance = {"gaussian": 1, "laplace": 2, "mahalanobis": D + 1}[noise.law.name]
    assert np.abs(unit.mean(axis=0)).max() < SIX * math.sqrt(variance / T)
    covariance = np.cov(unit, rowvar=False) / variance
    assert np.abs(covariance - np.eye(D)).max() < SIX * math.sqrt(8 / T)  # 5 of Laplace squares, the widest tails
    assert stats.binomtest(int((unit > 0).sum()), unit.size).pvalue > SURELY


def test_gaussian_and_laplace_components_have_the_law_of_one(drawn):
    noise, _, scale, _, level = drawn
    if noise.law.name == "mahalanobis":
        direction = level / np.linalg.norm(level, axis=1, keepdims=True)
        law = stats.beta((D - 1) / 2, (D - 1) / 2, loc=-1, scale=2)  # a component of a uniform point of the sphere
        assert stats.kstest(direction[:, 0], law.cdf).pvalue > SURELY
    else:
        law = stats.norm if noise.law.name == "gaussian" else stats.laplace
        assert stats.kstest((level / scale[:, None]).ravel(), law.cdf).pvalue > SURELY


def test_tokens_are_independent_of_each_other_and_size_of_direction(drawn):
    noise, rows, scale, _, level = drawn
    unit = level / scale[:, None]
    size = noise.law.sizes(level, scale)
    size = (size.values - size.shape) / math.sqrt(size.shape)
    variance = (unit**2).mean()
    for lag in (1, 2, 50, _ROWS):
        assert abs((unit[lag:] * unit[:-lag]).mean()) / variance < SIX / math.sqrt((T - lag) * D)
        assert abs((size[lag:] * size[:-lag]).mean()) < SIX / math.sqrt(T - lag)
    direction = level / np.linalg.norm(level, axis=1, keepdims=True)
    if noise.law.name != "laplace":  # whose size is that of another norm
        assert abs((size * direction[:, 0] ** 2).mean() * D) < SIX * math.sqrt(3 / T)
    same = np.flatnonzero(rows == 0)
    assert abs((unit[same[1:]] * unit[same[:-1]]).mean()) / variance < SIX / math.sqrt(len(same[1:]) * D)


def test_every_number_is_on_the_grid_of_its_factor_and_uses_all_of_it(drawn):
    noise, rows, scale, found, _ = drawn
    grid = noise.grid * 2.0 ** np.floor(np.log2(scale / noise.scale[rows] * (1 + 1e-12)))
    steps = found.astype(np.float64) / grid[:, None]
    assert (steps == np.rint(steps)).all()
    assert len(set(grid)) == 3
    for part in (scale > np.median(scale), scale < np.median(scale), grid == noise.grid, grid > noise.grid):
        for bit in (2, 4, 8):
            share = (steps[part] % bit >= bit / 2).mean()
            assert share == pytest.approx(0.5, abs=SIX * 0.5 / math.sqrt(D * part.sum()))
    assert not np.signbit(found[found == 0]).any()


@pytest.mark.parametrize("factor", [1.0, 1.999, 2.0, 3.0, 31.7, 1024.0, 12345.6])
@pytest.mark.parametrize("family", FAMILIES)
def test_the_grid_stays_as_fine_beside_the_noise_whatever_the_factor(family, factor):
    """So what the sampler adds to epsilon does not grow with the factor."""
    noise = noise_of(family, [1.0], 3)
    found = noise.added_to(np.zeros((1, 3), np.float32), np.zeros(500, np.int64), np.full(500, factor))
    grid = noise.grid * 2.0 ** math.floor(math.log2(factor))
    assert noise.grid * factor / 2 < grid <= noise.grid * factor
    assert (found.astype(np.float64) % grid == 0).all()
    assert (found.astype(np.float64) % (2 * grid) != 0).any()


def test_the_law_is_that_of_the_research_noise_of_mahalanobis():
    root = root_of(D)
    ours = GridNoise(MahalanobisNoise(root=root), np.ones(1), 2.0**-20).added_to(
        np.zeros((1, D), np.float32), np.zeros(T, dtype=np.int64), np.ones(T)
    )
    theirs = MahalanobisNoise(root=root).draw(T, D, np.random.default_rng(0))
    for axis in range(D):
        assert stats.ks_2samp(ours[:, axis], theirs[:, axis]).pvalue > SURELY
    assert stats.ks_2samp(np.abs(ours).sum(axis=1), np.abs(theirs).sum(axis=1)).pvalue > SURELY


def test_mahalanobis_noise_is_that_of_the_embedding(sample):
    space = EmbeddingSpace.build(sample.subset(range(400)), tau=0.3)
    noise = TextEncoder.build(space, epsilon=2.0, mechanism="mahalanobis").noise
    rows = np.arange(400).repeat(20)
    left = noise.added_to(space.vectors, rows, np.ones(len(rows))).astype(np.float64) - space.vectors[rows]
    sizes = noise.law.sizes(MahalanobisNoise().fitted(space.embeddings).whitened(left), noise.scale[rows])
    assert stats.kstest(sizes.values, stats.gamma(sizes.shape).cdf).pvalue > SURELY


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("count", [1, 7, _ROWS, _ROWS + 1, 3 * _ROWS + 5])
def test_each_token_has_its_words_vector_scale_and_factor_on_one_thread_or_many(family, count):
    """Vectors, scales and factors so different that a token with the noise of another would be seen at once."""
    n, d = 5, 16
    scale = 1000.0 ** -np.arange(n)
    rng = np.random.default_rng(count)
    rows = rng.integers(0, n, count)
    factors = 30.0 ** rng.integers(0, 2, count)
    noise = noise_of(family, scale, d)
    vectors = np.float32(1e6) * np.eye(n, d, dtype=np.float32)
    found = noise.added_to(vectors, rows, factors)
    left = found.astype(np.float64) - vectors[rows]
    left[:, :n] = 0  # where float32 keeps nothing small beside a million
    size = np.sqrt((left**2).sum(axis=1)) / (scale[rows] * factors)
    assert found.dtype == np.float32
    assert found[np.arange(count), rows] == pytest.approx(1e6, rel=0.01)
    typical = math.sqrt(d - n) * {"gaussian": 1, "laplace": 1.4, "mahalanobis": 4}[family]
    assert (size > typical / 30).all()
    assert (size < typical * 20).all()


@pytest.mark.parametrize("family", FAMILIES)
def test_no_two_tokens_calls_or_blocks_have_the_same_noise(family):
    noise, vectors, rows = noise_of(family, [1.0], 8), np.zeros((1, 8), np.float32), np.zeros(_ROWS * 2 + 9, np.int64)
    draws = [noise.added_to(vectors, rows, np.ones(len(rows))) for _ in range(2)]
    both = np.concatenate(draws)
    assert len(np.unique(both, axis=0)) == len(both)
    one, other = (draw - draw.mean() for draw in draws)
    assert abs((one * other).mean()) / both.var() < SIX / math.sqrt(one.size)
    sizes = [np.linalg.norm(draw.astype(np.float64), axis=1) for draw in draws]
    assert abs(np.corrcoef(*sizes)[0, 1]) < SIX / math.sqrt(len(rows))


@pytest.mark.parametrize("family", FAMILIES)
def test_where_float32_is_too_coarse_what_comes_out_is_the_nearest_float32_of_a_point_of_the_grid(family):
    noise = noise_of(family, [1.0], 6)
    found = noise.added_to(np.full((1, 6), np.float32(1e6)), np.zeros(500, np.int64), np.ones(500))
    assert (found.astype(np.float64) % noise.grid == 0).all()
    assert (found % np.float32(2.0**-4) == 0).all()  # float32 at a million
    assert len(np.unique(found)) > 20


@pytest.mark.parametrize("family", FAMILIES)
def test_no_tokens_give_no_vectors_and_nothing_that_is_given_is_changed(family):
    vectors, scale = far_apart(3).astype(np.float32), np.array([1.0, 2.0, 3.0])
    noise, rows, factors = noise_of(family, scale, 4), np.array([2, 0, 2]), np.array([1.0, 2.0, 1.0])
    assert noise.added_to(vectors, np.empty(0, dtype=np.int64), np.empty(0)).shape == (0, 4)
    noise.added_to(vectors, rows, factors)
    assert (vectors == far_apart(3)).all()
    assert scale.tolist() == [1, 2, 3]
    assert (rows.tolist(), factors.tolist()) == ([2, 0, 2], [1, 2, 1])


@pytest.mark.parametrize("family", FAMILIES)
def test_in_one_dimension_the_families_are_the_normal_and_the_laplace_law(family):
    law = MahalanobisNoise(root=np.array([[2.0]])) if family == "mahalanobis" else law_named(family)
    noise = GridNoise(law, np.array([3.0]), 2.0**-12)
    found = noise.added_to(np.zeros((1, 1), np.float32), np.zeros(T, np.int64), np.ones(T))[:, 0]
    law = {"gaussian": stats.norm(0, 3), "laplace": stats.laplace(0, 3), "mahalanobis": stats.laplace(0, 6)}[family]
    assert stats.kstest(found, law.cdf).pvalue > SURELY
