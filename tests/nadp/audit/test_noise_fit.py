import math

import numpy as np
import pytest

from nadp.audit.noise_fit import noise_fit
from nadp.noise import MahalanobisNoise, law_named

LAWS = {
    "gaussian": lambda rng, size: rng.normal(size=size),
    "laplace": lambda rng, size: rng.laplace(size=size),
    "mahalanobis": lambda rng, size: MahalanobisNoise(root=np.eye(size[1])).draw(*size, rng),
}


@pytest.mark.parametrize("family", LAWS)
@pytest.mark.parametrize(("wrong", "fits"), [(1.0, True), (0.9, False), (1.1, False), (1.05, False)])
def test_a_scale_that_is_wrong_is_found_and_a_right_one_is_not(family, wrong, fits):
    scale = np.geomspace(0.1, 10, 2000)
    noise = wrong * scale[:, None] * LAWS[family](np.random.default_rng(0), (2000, 100))
    found = noise_fit(noise, scale, law_named(family))
    assert found.values == (2000 if family == "mahalanobis" else 200_000)
    assert found.spread == pytest.approx(wrong, abs=0.01)
    assert (found.p_value > 1e-3) == fits
    if not fits:
        assert found.p_value < 1e-6


def test_noise_of_another_law_is_found_though_its_spread_is_right():
    noise = np.random.default_rng(0).laplace(scale=math.sqrt(0.5), size=(2000, 50))
    found = noise_fit(noise, np.ones(2000))
    assert found.spread == pytest.approx(1, abs=0.02)
    assert found.p_value < 1e-12


def test_words_without_noise_are_left_out_and_no_more_than_wanted_are_tested():
    noise = np.random.default_rng(0).normal(size=(1000, 10))
    scale = np.where(np.arange(1000) % 2, 1.0, 0.0)
    assert noise_fit(noise, scale).values == 5000
    assert noise_fit(noise, scale, most=1999).values <= 1999
    nothing = noise_fit(noise, np.zeros(1000))
    assert nothing.values == 0
    assert math.isnan(nothing.p_value)


@pytest.mark.parametrize("components", [slice(1, None, 2), slice(0, 1), slice(9, 10)])
def test_noise_of_another_law_in_some_components_is_found_among_thinned_values(components):
    noise = np.random.default_rng(0).normal(size=(20_000, 10))
    noise[:, components] = np.sign(noise[:, components])
    assert noise_fit(noise, np.ones(20_000), most=100_000).p_value < 1e-12
