"""The last look at the published numbers: noise that is not what was settled is found, noise that is passes."""

import math

import numpy as np
import pytest
from scipy import stats

from nadp.mechanisms import MECHANISMS
from nadp.mechanisms.publication import FALSE_ALARM, last_look
from nadp.noise import GaussianNoise, LaplaceNoise, MahalanobisNoise
from nadp.noise.grid import grid_of, on_grid
from nadp.release import Limits, RefusedError, making, release
from nadp.release.published import Published, published_measures

LAWS = [GaussianNoise(), LaplaceNoise(), MahalanobisNoise(), MahalanobisNoise(0.5)]
OPEN = Limits(max_recovery=1.0, max_tail=1.0, false_alarm=1e-300)
SIZE, PAIRS = "size_of_published_noise_p_value", "shared_published_noise_p_value"


def looked_at(words, law, change=lambda noise: noise, seed=0, alarm=FALSE_ALARM):
    """What the check says of a table whose noise was changed between its draw and its publication."""
    fitted, scale = law.fitted(words), np.repeat([0.5, 2.0], len(words) // 2)
    grid = grid_of(fitted.narrowest(scale))
    noise = change(fitted.standard(*words.vectors.shape, np.random.default_rng(seed).bytes)) * scale[:, None]
    table = on_grid(words.vectors, noise, grid).astype(np.float32)
    return {one.key: one for one in published_measures(Published(words.vectors, table, fitted, scale, grid), alarm)}


def without(rows):
    def changed(noise):
        noise[rows] = 0
        return noise

    return changed


def copied(noise):
    noise[300] = -noise[7]
    return noise


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.key)
@pytest.mark.parametrize(
    ("change", "key"),
    [
        (without(slice(None)), SIZE),
        (without([123]), SIZE),
        (lambda noise: noise / 2, SIZE),
        (lambda noise: noise * 2, SIZE),
        (lambda noise: np.concatenate([0.8 * noise[:200], noise[200:]]), SIZE),
        (copied, PAIRS),
        (lambda noise: np.concatenate([noise[:200], noise[:200]]), PAIRS),
    ],
    ids=["none", "none in one word", "half", "double", "less in one scale", "one word's, turned", "half of it twice"],
)
def test_noise_other_than_settled_is_found(words, law, change, key):
    assert not looked_at(words, law, change)[key].passed


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.key)
def test_noise_as_settled_passes_at_the_rate_that_is_stated_and_p_values_are_not_too_small(words, law):
    """At one tenth, with 60 draws; rounding makes the tests a little milder, Bonferroni's bound more so."""
    found = [looked_at(words, law, seed=seed, alarm=0.2) for seed in range(60)]
    for key in (SIZE, PAIRS):
        failed = sum(not one[key].passed for one in found)
        assert stats.binom.sf(failed - 1, 60, 0.1) > 1e-3
        assert min(one[key].value for one in found) < 0.7  # it is no constant
    assert all(one.passed for one in looked_at(words, law).values())


def test_rounding_to_a_coarse_grid_is_allowed_for():
    """A grid as wide as the noise makes numbers that look like none at all, and is no fault of the sampler."""
    rng = np.random.default_rng(0)
    vectors = np.zeros((200, 30), dtype=np.float32)
    table = np.rint(0.2 * rng.standard_normal(vectors.shape)).astype(np.float32)
    coarse = Published(vectors, table, GaussianNoise(), np.full(200, 0.2), 1.0)
    assert (table == 0).all(axis=1).any()
    assert all(one.passed for one in published_measures(coarse, 0.01))
    finer = Published(vectors, table, GaussianNoise(), np.full(200, 0.2), 1e-3)
    assert not all(one.passed for one in published_measures(finer, FALSE_ALARM))


@pytest.mark.parametrize("factor", [0.0, 0.5])
@pytest.mark.parametrize("which", ["system", "opendp"])
def test_a_release_of_a_sampler_that_adds_too_little_is_refused(space, monkeypatch, factor, which):
    """The sampler that publishes, OpenDP's too: with every other limit open, the last look refuses."""

    def stubbed(vectors, scale, grid, sampler="system"):
        assert sampler == which
        noise = factor * scale[:, None] * np.random.default_rng().standard_normal(vectors.shape)
        return on_grid(vectors, noise, grid).astype(np.float32), True

    monkeypatch.setattr(making, "noisy_table", stubbed)
    with pytest.raises(RefusedError, match="size of the published noise"):
        release(space, epsilon=2.0, limits=OPEN, sampler=which)


def test_a_release_of_opendp_stubbed_to_add_nothing_is_refused_by_the_draw_of_the_gate_already(space, monkeypatch):
    def nothing(vectors, scale, grid):
        assert (scale > 0).all()
        return np.rint(vectors / grid) * grid

    monkeypatch.setattr("nadp.noise.grid.noisy_by_opendp", nothing)
    with pytest.raises(RefusedError, match="recovery by the nearest word is 1"):
        release(space, epsilon=2.0, sampler="opendp")
    with pytest.raises(RefusedError, match="size of the published noise"):
        release(space, epsilon=2.0, limits=OPEN, sampler="opendp")


def test_a_sampler_that_adds_nothing_to_one_word_is_refused(space, monkeypatch):
    drawn = making.noisy_table

    def but_one(vectors, scale, grid, sampler):
        table, exact = drawn(vectors, scale, grid, sampler)
        table[37] = vectors[37]
        return table, exact

    monkeypatch.setattr(making, "noisy_table", but_one)
    with pytest.raises(RefusedError, match="size of the published noise"):
        release(space, epsilon=2.0)


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 10.0, 40.0, 90.0])
@pytest.mark.parametrize("delta", [1e-6, 1e-12])
def test_what_the_last_look_costs_is_a_ten_thousandth_of_delta_at_most(epsilon, delta):
    alarm, cost = last_look(epsilon, delta)
    assert 0 < alarm <= FALSE_ALARM
    assert cost.delta == pytest.approx((1 + math.exp(epsilon)) * alarm)
    assert cost.delta <= 1.0001e-4 * delta
    assert last_look(1e4, 1e-6)[0] > 0
    assert cost.epsilon >= -math.log1p(-alarm)


def test_the_noise_of_a_release_pays_for_the_last_look(space):
    made = MECHANISMS["nadp"]().publication(space, 5.0, 1e-6)
    _, cost = last_look(5.0, 1e-6)
    assert made.off.delta >= cost.delta > 0
    assert made.off.epsilon >= cost.epsilon
