"""The statistical checks keep their rate of false alarms: over fixed seeds, with a margin that chance alone exceeds for
fewer than one seed in 10,000.
"""

import numpy as np
import pytest

from nadp.audit.verdicts import (
    components_have_the_claimed_noise,
    every_word_has_noise,
    neighbours_share_one_scale,
    noise_has_the_claimed_size,
)
from nadp.noise import GaussianNoise

WORDS = np.array([f"w{i}" for i in range(60)], dtype=np.dtypes.StringDType())
SCALE = np.geomspace(0.1, 10, 60)
EDGES = np.column_stack([np.arange(0, 60, 2), np.arange(1, 60, 2)])
ALARM = 0.05


def noise(seed, scale=SCALE):
    return scale[:, None] * np.random.default_rng(seed).normal(size=(60, 20))


def size(x, alarm=ALARM):
    return noise_has_the_claimed_size(GaussianNoise().sizes(x, SCALE), WORDS, alarm)


def shared(x, alarm=ALARM):
    return neighbours_share_one_scale(x / SCALE[:, None], EDGES, WORDS, alarm)


def spread(x, alarm=ALARM):
    labels = np.where(np.arange(60) < 30, 0, 2)
    return components_have_the_claimed_noise(GaussianNoise().sizes(x, SCALE), labels, WORDS, alarm)


@pytest.mark.parametrize("check", [size, shared, spread])
def test_a_check_fails_good_releases_as_seldom_as_stated(check):
    failures = sum(not check(noise(seed)).passed for seed in range(1000))
    assert 25 <= failures <= 78  # 5 % of 1,000; the bounds are four standard deviations away


@pytest.mark.parametrize(
    ("check", "fault", "offender"),
    [
        (size, lambda x: x * np.where(np.arange(60) == 7, 0.2, 1)[:, None], "w7"),
        (size, lambda x: x * np.where(np.arange(60) == 7, 3, 1)[:, None], "w7"),
        (shared, lambda x: x * np.where(np.arange(60) == 7, 4, 1)[:, None], "'w6' and 'w7'"),
        (shared, lambda x: x * np.where(np.arange(60) == 7, 0, 1)[:, None], "'w6' and 'w7'"),
        (spread, lambda x: x * np.where(np.arange(60) < 30, 1, 1.3)[:, None], "'w30'"),
    ],
)
def test_a_fault_is_found_and_named(check, fault, offender):
    found = check(fault(noise(0)), 0.01)
    assert not found.passed
    assert offender in found.says
    assert check(noise(0), 0.01).passed


def test_a_word_without_noise_is_named():
    found = every_word_has_noise(np.arange(60) == 9, WORDS)
    assert not found.passed
    assert "1 of 60" in found.says
    assert "'w9'" in found.says
    assert every_word_has_noise(np.zeros(60, dtype=bool), WORDS).passed
