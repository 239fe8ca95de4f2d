import math

import numpy as np
import pytest

from nadp import Embeddings, EmbeddingSpace
from nadp.attacks.exposure import without_noise
from nadp.audit.distribution import audited, distribution, kinds_of_words
from tests import reference


def test_a_distribution_has_mean_percentiles_and_the_share_at_or_above_a_threshold():
    found = distribution(np.arange(101.0), 90)
    assert (found.words, found.mean, found.percentiles) == (101, 50, (5, 25, 50, 75, 95))
    assert found.share == pytest.approx(11 / 101)
    assert distribution(np.array([True, False, True, True]), 1.0).share == 3 / 4


@pytest.mark.parametrize("weights", [[1, 2, 0, 5, 3], [4, 1, 1, 1, 2]])
def test_a_word_counts_as_often_as_its_weight_says(weights):
    values, weights = np.array([3.0, 1, 2, 8, 5]), np.array(weights, dtype=float)
    kinds = {"odd": np.arange(5) % 2 == 1}
    found = audited("figure", values, 3, kinds, weights)
    many = np.repeat(values, weights.astype(int))
    assert found.all.mean == pytest.approx(many.mean())
    assert found.all.share == pytest.approx((many >= 3).mean())
    assert found.all.percentiles == tuple(np.percentile(many, [5, 25, 50, 75, 95], method="inverted_cdf"))
    assert found.by_kind["odd"].mean == pytest.approx((weights[1] * 1 + weights[3] * 8) / (weights[1] + weights[3]))


def test_no_words_have_no_distribution():
    found = distribution(np.empty(0), 1)
    assert found.words == 0
    assert all(map(math.isnan, [found.mean, found.share, *found.percentiles]))


def test_every_word_is_of_one_kind(tied):
    space = EmbeddingSpace.build(tied, tau=0.4, isolated="nearest")
    of_word, _ = reference.distinct(tied.vectors)
    found = kinds_of_words(space)
    assert (sum(mask.astype(int) for mask in found.values()) == 1).all()
    assert found["duplicate"].tolist() == [of_word.count(point) > 1 for point in of_word]
    assert not (found["component"] & space.neighbourhoods.was_isolated[of_word]).any()
    values = np.arange(len(tied))
    audit = audited("rank", values, 70, found)
    assert audit.all == distribution(values, 70)
    assert audit.by_kind["duplicate"] == distribution(values[found["duplicate"]], 70)


def test_a_word_is_exposed_only_if_all_its_numbers_are_as_they_were():
    x = Embeddings("abc", [[1, 2], [3, 4], [0.0, 5]]).vectors
    assert without_noise(x, x + np.float32([[0, 0], [0, 1e-3], [-0.0, 0]])).tolist() == [True, False, True]
