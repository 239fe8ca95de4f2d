from collections import Counter

import numpy as np
import pytest
from scipy import stats

from nadp.attacks.hubness import hubness


def test_hubness_counts_what_the_vectors_decode_to():
    nearest = np.minimum(np.random.default_rng(0).geometric(0.1, size=(200, 4)), 60).astype(np.int32)
    found = hubness(nearest, 80)
    first = Counter(nearest[:, 0].tolist())
    assert found.distinct == len(first) / 200
    assert found.largest == max(first.values()) / 200
    occurrences = [int((nearest == point).sum()) for point in range(80)]
    assert found.skewness == pytest.approx(stats.skew(occurrences, bias=False))


def test_words_that_decode_to_themselves_have_no_hub():
    found = hubness(np.arange(50, dtype=np.int32)[:, None], 50)
    assert (found.distinct, found.largest) == (1, 1 / 50)
    assert np.isnan(found.skewness)
