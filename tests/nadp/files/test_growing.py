import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nadp.files.growing import GrowingRows


@given(st.lists(st.integers(0, 50)), st.integers(1, 5))
def test_rows_added_in_portions_are_there_in_the_end(portions, dimension):
    rows = GrowingRows(dimension)
    for number, count in enumerate(portions):
        part = rows.add(count)
        assert part.shape == (count, dimension)
        part[:] = number
    assert np.array_equal(rows.take(), np.repeat(np.arange(len(portions)), portions)[:, None] * np.ones(dimension))


def test_rows_that_were_taken_stay_as_they_are():
    rows = GrowingRows(2)
    rows.add(3)[:] = 1
    taken = rows.take()
    rows.add(1000)[:] = 2
    assert taken.flags.owndata
    assert taken.tolist() == [[1, 1]] * 3
    assert rows.take().tolist() == [[2, 2]] * 1000
