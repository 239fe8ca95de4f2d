import math

import numpy as np

from nadp.attacks.recovery import recovery


def test_recovery_is_the_share_of_words_among_the_one_five_and_ten_nearest():
    nearest = np.arange(10)[None, :].repeat(4, axis=0)
    assert recovery(nearest, np.array([0, 4, 9, 77])) == {1: 1 / 4, 5: 2 / 4, 10: 3 / 4}


def test_without_words_there_is_no_share():
    assert all(math.isnan(share) for share in recovery(np.empty((0, 10)), np.empty(0)).values())
