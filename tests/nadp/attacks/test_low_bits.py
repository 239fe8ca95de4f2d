import numpy as np
import pytest

from nadp.attacks.low_bits import given_away, reachable


@pytest.fixture(scope="module")
def words():
    """Vectors of 300 numbers with five digits, as in real files."""
    return np.random.default_rng(1).normal(size=(60, 300)).round(5)


def released(words, scale, grid=None):
    noise = np.random.default_rng(0).normal(size=words.shape)
    noisy = words + scale * noise
    return noisy if grid is None else np.round(noisy / grid) * grid


@pytest.mark.parametrize("scale", [5.0, 18.0])
def test_a_naive_release_in_double_precision_gives_its_words_away_and_one_on_a_grid_does_not(words, scale):
    everyone = np.arange(len(words))
    scales = np.full(len(words), scale)
    assert given_away(words, released(words, scale), scales, everyone, everyone).mean() == 1
    assert given_away(words, released(words, scale, 2.0**-16 * scale), scales, everyone, everyone).mean() == 0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("known", [True, False])
def test_a_word_can_always_have_given_its_own_release(words, dtype, known):
    for seed, scale in enumerate([0.01, 1.0, 7.3, 300.0]):
        x = words.astype(dtype)
        noisy = x + dtype(scale) * np.random.default_rng(seed).normal(size=x.shape).astype(dtype)
        for row in (0, 7, 59):
            assert reachable(x, noisy[row], scale if known else None, dtype)[row]


def test_words_without_noise_need_no_bits(words):
    everyone = np.arange(len(words))
    noisy = released(words, 5.0)
    scale = np.full(len(words), 5.0)
    scale[3], noisy[3] = 0, words[3]
    scale[4] = 0  # that there is noise all the same is for another check to find
    found = given_away(words, noisy, scale, everyone, everyone)
    assert not found[3:5].any()
    assert found.sum() == len(words) - 2
    assert not given_away(words, words, None, everyone, everyone).any()


def test_equal_words_do_not_give_each_other_away(words):
    twice = np.vstack([words[:1], words[:1]])
    assert not given_away(twice, released(twice, 5.0), np.full(2, 5.0), np.arange(2), np.arange(2)).any()
