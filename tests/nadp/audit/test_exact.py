"""When a sample has more digits than float32, and which digits are used of an original."""

import numpy as np
import pytest

from nadp.audit.exact import ExactFiles, exact_sample

WORDS = ["a", "b", "c"]
ORIGINAL = np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.7]])
RELEASED = np.random.default_rng(0).normal(size=(2, 2))


def reader(rows, words=WORDS):
    found = dict(zip(words, rows, strict=False))
    return lambda asked: {word: found[word] for word in asked if word in found}


def sample(original, released, vectors=ORIGINAL, noisy=RELEASED):
    return exact_sample(ExactFiles(original, released), WORDS, np.float32(vectors), np.float32(noisy))


def test_the_original_is_used_as_float32_and_with_all_digits():
    found = sample(reader(ORIGINAL), reader(RELEASED))
    assert found.noisy.tolist() == RELEASED.tolist()
    assert [table.tolist() for table in found.originals] == [np.float32(ORIGINAL).tolist(), ORIGINAL.tolist()]


@pytest.mark.parametrize("original", [reader([]), reader(np.float32(ORIGINAL).astype(float))])
def test_an_original_without_more_digits_is_used_once(original):
    found = sample(original, reader(RELEASED))
    assert [table.tolist() for table in found.originals] == [np.float32(ORIGINAL).tolist()]


def test_digits_of_other_numbers_than_the_audited_ones_are_not_used():
    shortened = np.vstack([ORIGINAL[:2], ORIGINAL[2:] / 3])
    found = sample(reader(ORIGINAL), reader(RELEASED), shortened)
    assert found.originals[1].tolist() == [*ORIGINAL[:2].tolist(), *np.float32(shortened[2:]).tolist()]


@pytest.mark.parametrize(
    "released",
    [
        np.float32(RELEASED).astype(float),
        np.array([[float(f"{number:.9g}") for number in row] for row in np.float32(RELEASED).tolist()]),
        RELEASED.round(5),
    ],
    ids=["float32", "nine digits", "five decimals"],
)
def test_a_release_of_no_more_than_float32_has_no_exact_sample(released):
    assert sample(reader(ORIGINAL), reader(released), noisy=released) is None
