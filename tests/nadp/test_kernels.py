import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from nadp.kernels import find_first_equal, hash_rows
from tests import reference

few_values = st.sampled_from([0.0, -0.0, 1.0, -1.0])
tables = arrays(np.float32, st.tuples(st.integers(1, 12), st.integers(1, 3)), elements=few_values)


@given(tables, st.lists(st.integers(0, 2), min_size=12, max_size=12))
def test_the_first_equal_row_is_found_whatever_other_rows_have_the_same_hash(vectors, salt):
    of_word, first_word = reference.distinct(vectors)
    hashes = np.array([salt[point] for point in of_word], dtype=np.uint64)
    first = np.empty(len(vectors), dtype=np.int64)
    find_first_equal(vectors, hashes, np.argsort(hashes, kind="stable"), first)
    assert first.tolist() == [first_word[point] for point in of_word]


@given(tables)
def test_equal_rows_have_one_hash(vectors):
    hashes = np.empty(len(vectors), dtype=np.uint64)
    hash_rows(vectors.view(np.uint32), hashes)
    of_word, _ = reference.distinct(vectors)
    for one, hash_ in zip(of_word, hashes.tolist(), strict=True):
        assert hash_ == hashes[of_word.index(one)]


def test_a_hundred_thousand_different_rows_have_different_hashes():
    rng = np.random.default_rng(0)
    vectors = np.unique(rng.integers(-8, 9, size=(200_000, 6)), axis=0).astype(np.float32)  # few bits that differ
    assert len(vectors) > 100_000
    hashes = np.empty(len(vectors), dtype=np.uint64)
    hash_rows(vectors.view(np.uint32), hashes)
    assert len(np.unique(hashes)) == len(vectors)
