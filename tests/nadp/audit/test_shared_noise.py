import numpy as np
import pytest
from scipy import stats

from nadp.audit.shared_noise import detectable_correlation, shared_noise
from nadp.noise import GaussianNoise, LaplaceNoise


def most_parallel(table):
    return shared_noise(table.__getitem__, len(table))


def directions(law, n, d, seed):
    scale = np.geomspace(0.1, 10, n)
    noise = law.draw(n, d, np.random.default_rng(seed)).astype(float) * scale[:, None]
    return law.directions(noise, scale)


def test_the_most_parallel_pair_is_that_of_the_loop():
    found = directions(GaussianNoise(), 2500, 6, 0)
    cosines = np.abs(found @ found.T) - 2 * np.eye(len(found))
    first, second = np.unravel_index(cosines.argmax(), cosines.shape)
    got = most_parallel(found)
    assert {got.first, got.second} == {first, second}
    assert abs(got.cosine) == pytest.approx(cosines.max(), rel=1e-6)


@pytest.mark.parametrize("law", [GaussianNoise(), LaplaceNoise()], ids=["gaussian", "laplace"])
def test_independent_noise_fails_at_most_as_often_as_stated(law):
    failures = sum(most_parallel(directions(law, 60, 20, seed)).p_value < 0.05 for seed in range(400))
    assert failures <= 38  # 5 % of 400; more has a probability below 1e-4
    assert failures >= 5  # Bonferroni's bound is nearly sharp for this many nearly independent pairs


def test_a_pair_is_found_from_the_correlation_that_is_stated():
    n, d, alarm = 2000, 50, 0.01 / 7
    least = detectable_correlation(n, d, alarm)
    assert least == pytest.approx(0.74, abs=0.01)
    assert detectable_correlation(73_404, 300, alarm) == pytest.approx(0.40, abs=0.01)
    found = directions(GaussianNoise(), n, d, 1)
    for cosine, detected in [(least - 0.01, False), (least + 0.01, True), (-least - 0.01, True)]:
        other = found[1] - (found[1] @ found[0]) * found[0]
        found[1] = cosine * found[0] + np.sqrt(1 - cosine**2) * other / np.linalg.norm(other)
        assert (most_parallel(found).p_value < alarm) == detected


def test_directions_of_laplace_noise_are_uniform_on_the_sphere():
    found = directions(LaplaceNoise(), 4000, 8, 2)
    for coordinate in found.T:
        assert stats.kstest((1 + coordinate) / 2, stats.beta(3.5, 3.5).cdf).pvalue > 1e-6
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1)


def test_fewer_than_two_words_share_nothing():
    assert most_parallel(np.ones((1, 3))) is None
