import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nadp import InputError
from nadp.groups import counted_prior, file_prior, uniform_prior, zipf_prior

WORDS = np.array(["the", "of", "police", "zebra"])


@given(st.lists(st.just(0.0) | st.floats(1e-200, 1e12), min_size=1, max_size=30).filter(any))
def test_weights_are_whole_and_add_up_without_rounding(counts):
    prior = counted_prior(counts)
    whole = [int(w) for w in prior.weights]
    assert prior.weights.tolist() == whole
    assert min(whole) >= 1
    assert prior.total == sum(whole) < 2**53
    least = min(c for c in counts if c > 0)
    raised = [max(c, least) for c in counts]
    assert prior.shares == pytest.approx(np.divide(raised, sum(raised)), rel=1e-6, abs=1e-14)


def test_counts_are_kept_as_they_are():
    prior = counted_prior([3, 0, 7, 2])
    assert prior.weights.tolist() == [3, 2, 7, 2]
    assert (prior.unit, prior.largest) == (1.0, 2)


@pytest.mark.parametrize("exponent", [0.0, 0.5, 1.0, 1.2])
def test_zipfs_law_goes_by_rank(exponent):
    ranks = np.array([5, 1, 80])
    expected = np.array([1 / 5**exponent, 1.0, 1 / 80**exponent])
    assert zipf_prior(ranks, exponent).shares == pytest.approx(expected / expected.sum(), rel=1e-9)
    assert zipf_prior(3, exponent).shares == pytest.approx(zipf_prior(np.array([1, 2, 3]), exponent).shares)


def test_a_uniform_prior_gives_every_word_the_same():
    assert uniform_prior(4).shares.tolist() == [0.25] * 4
    assert uniform_prior(4).is_uniform
    assert not zipf_prior(4).is_uniform


def test_a_file_of_frequencies_makes_a_prior(tmp_path):
    (tmp_path / "list.txt").write_text("of 30\nthe 50\npolice 2\nother 1\n")
    prior = file_prior(tmp_path / "list.txt", WORDS)
    assert prior.weights.tolist() == [50, 30, 2, 1]
    assert "list.txt" in prior.name


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: counted_prior([1, -1]), "0 or more"),
        (lambda: counted_prior([1, np.nan]), "0 or more"),
        (lambda: counted_prior([0, 0]), "all counts are 0"),
        (lambda: zipf_prior(np.array([0, 1])), "begin with 1, not with 0"),
        (lambda: zipf_prior(0), "not with nothing"),
        (lambda: zipf_prior(5, -1), "exponent .* not -1"),
    ],
)
def test_what_is_no_prior_is_refused(make, message):
    with pytest.raises(InputError, match=message):
        make()


@pytest.mark.parametrize("counts", [[1e308, 1e308, 1.5], [1e-310, 2e-310], [1e300, 0]])
def test_counts_whose_sum_is_too_large_or_too_small_are_refused(counts):
    with pytest.raises(InputError, match="add up to"):
        counted_prior(counts)
