"""Numbers for publication: their bits by mpmath, their law by statistics of seeded bytes, their source by forks."""

import inspect
import math
import os
import random
import subprocess
import sys
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.special import ndtr, ndtri

from nadp.noise.normal import INVERSE_ERROR, standard_normal
from nadp.noise.uniform import _leading_zeros, fine_fractions, small_uniform
from tests.nadp.noise.sources import MANTISSAS, SIGN, Crafted, Tape, seeded

RUNS = [0, 1, 10, 11, 30, 62, 63, 114, 115, 700, 1010]
MANY = 1 << 22
words = st.integers(0, 2**64 - 1)


def true_uniform(zeros, mantissa):
    """The middle of the interval of uniform numbers that a bit pattern and the next stand for."""
    return (1 + Fraction(mantissa // 2 * 2 + 1, MANTISSAS)) / 2 ** (zeros + 2)


def true_normal(uniform):
    """-Phi^-1 to some 40 digits: two Newton steps, of which the last moves nothing."""
    with mpmath.workdps(60):
        target = mpmath.mpf(uniform.numerator) / uniform.denominator
        z = mpmath.mpf(float(ndtri(float(target))))
        for _ in range(3):
            step = (mpmath.ncdf(z) - target) / mpmath.npdf(z)
            z -= step
        assert abs(step) < mpmath.mpf(10) ** -40
        return -z


@pytest.mark.parametrize("zeros", RUNS)
def test_a_bit_pattern_gives_the_normal_number_it_stands_for(zeros):
    for mantissa in (0, 1, MANTISSAS // 3, MANTISSAS // 2, MANTISSAS - 2, MANTISSAS - 1):
        up, down = (float(standard_normal(1, Crafted(bit, zeros, mantissa))[0]) for bit in (1, 0))
        exact = true_normal(true_uniform(zeros, mantissa))
        assert up == -down
        assert abs(up - exact) <= INVERSE_ERROR * exact


@pytest.mark.parametrize(("zeros", "farther"), [(28, 6), (62, 9), (145, 14), (1020, 37)])
def test_the_far_tails_are_there(zeros, farther):
    assert farther < standard_normal(1, Crafted(1, zeros, 0))[0] < farther + 1


def test_the_run_of_zeros_has_the_geometric_law_exactly():
    patterns = np.arange(1 << 11, dtype=np.uint64) << np.uint64(52)
    fresh = [1 << (63 - zeros) for zeros in range(5)]
    for word in fresh:
        uniform = small_uniform(patterns, Tape(word))
        binade = -np.frexp(uniform)[1]
        counts = np.bincount(binade)
        # 1024 patterns in [1/4, 1/2), 512 in [1/8, 1/4), ...; the last one goes on in the fresh word
        assert counts[1:12].tolist() == [1 << (10 - zeros) for zeros in range(11)]
        assert counts.sum() == 1 << 11
        assert binade[0] == 1 + 11 + fresh.index(word)


@given(words, words)
def test_only_the_upper_52_bits_of_a_fresh_word_go_on_the_run(first, fresh):
    first &= ~(((1 << 11) - 1) << 52)
    upper = fresh >> 12
    tape = Tape(first, fresh, 1 << 63)
    uniform = small_uniform(np.array([tape(8)]).view(np.uint64), tape)
    zeros = 11 + 52 - upper.bit_length()
    assert len(tape.words) == (1 if upper else 0)
    assert Fraction(float(uniform[0])) == true_uniform(zeros, first % MANTISSAS)


@given(words)
def test_sign_exponent_and_mantissa_come_from_bits_of_their_own(word):
    word |= 1 << 52  # settled without a fresh word
    zeros = 11 - (word >> 52 & 0x7FF).bit_length()
    uniform = small_uniform(np.array([word], dtype=np.uint64), Tape())[0]
    assert Fraction(float(uniform)) == true_uniform(zeros, word % MANTISSAS)
    value, mirrored = (standard_normal(1, Tape(w))[0] for w in (word, word ^ SIGN))
    assert value == -mirrored
    assert (value >= 0) == bool(word & SIGN)


@given(st.integers(0, 2**52 - 1) | st.integers(0, 52).map(lambda power: 2**power - 1))
def test_leading_zeros_are_counted_as_python_counts_bits(value):
    found = _leading_zeros(np.array([value], dtype=np.uint64), 52)
    assert found.tolist() == [52 - value.bit_length()]


def test_leading_zeros_are_right_at_every_power_of_two():
    values = [0, *(2**power + off for power in range(52) for off in (-1, 0, 1) if 2**power + off < 2**52)]
    assert _leading_zeros(np.array(values, dtype=np.uint64), 52).tolist() == [52 - v.bit_length() for v in values]


@pytest.mark.parametrize("rounds", [1, 2, 3, 10, 19, 20])
def test_a_source_that_gives_zeros_for_a_while_gives_finite_numbers(rounds):
    found = standard_normal(2, Tape(0, SIGN, *[0] * (2 * (rounds - 1)), 1 << 63, 1 << 63))
    assert np.isfinite(found).all()
    assert found[0] == -found[1]
    assert found[1] == pytest.approx(float(true_normal(true_uniform(11 + 52 * (rounds - 1), 0))), rel=1e-13)


def test_a_source_that_gives_nothing_but_zeros_is_given_up_after_twenty_fresh_words():
    """Of four numbers two are settled at once, one by its 19th fresh word, one never: none is made up for it."""
    tape = Tape(1 << 62, 0, SIGN, 1 << 60, *[0, 0] * 18, 1 << 63, 0, 0, 1 << 63)
    with pytest.raises(RuntimeError, match="zeros"):
        standard_normal(4, tape)
    assert tape.words == [1 << 63]


@pytest.mark.parametrize("off", [-8, -1, 1, 8])
@pytest.mark.parametrize("which", [0, 1])
def test_a_source_that_gives_too_few_or_too_many_bytes_is_refused(which, off):
    """The first time, and when the run of zeros goes on."""
    calls = []

    def source(count):
        calls.append(count)
        return bytes(count + off * (len(calls) == which + 1))

    with pytest.raises(RuntimeError, match=f"{24 + off} bytes, not 24"):
        standard_normal(3, source)
    assert calls == [24] * (which + 1)


@pytest.mark.parametrize(
    "word", [0xAAAAAAAAAAAAAAAA, 0x5555555555555555, 0x8000000000000001 | 1 << 52, 0xFFF0000000000000, 0x7FF << 52]
)
def test_regular_bytes_give_finite_numbers_within_reach_of_their_exponent(word):
    found = standard_normal(1000, Tape(*[word] * 1000))
    assert len(set(found.tolist())) == 1
    zeros = 11 - (word >> 52 & 0x7FF).bit_length()
    assert -ndtri(2.0 ** -(zeros + 1)) <= abs(found[0]) <= -ndtri(2.0 ** -(zeros + 2)) * (1 + 1e-15)


@pytest.mark.parametrize("word", [2**64 - 1, 2**63 - 1, (1 << 62) | (MANTISSAS - 1)])
def test_no_bytes_give_zero_by_rounding(word):
    nearest = float(true_normal((1 - Fraction(1, 2 * MANTISSAS)) / 2))
    assert 0 < nearest < 1e-15
    assert abs(standard_normal(1, Tape(word))[0]) == pytest.approx(nearest, rel=1e-14, abs=0)


def test_the_uniform_number_stays_below_one_half_and_above_its_run_of_zeros():
    mantissas = [0, 1, 2, 3, MANTISSAS - 4, MANTISSAS - 3, MANTISSAS - 2, MANTISSAS - 1]
    for zeros in range(11):
        source = Crafted(0, zeros, np.array(mantissas))
        uniform = small_uniform(source.words, source)
        assert (uniform < 2.0 ** -(zeros + 1)).all()
        assert (uniform > 2.0 ** -(zeros + 2)).all()
        assert (uniform[::2] == uniform[1::2]).all()
        assert (np.diff(uniform[::2]) > 0).all()


def test_the_inverse_is_ten_times_as_precise_as_certificates_assume_in_every_binade():
    rng = np.random.default_rng(4)
    exponents = np.concatenate([np.repeat(np.arange(72), 30), np.arange(72, 1021)])
    uniform = np.ldexp(1 + rng.random(len(exponents)), -exponents - 2)
    found = ndtri(uniform)
    with mpmath.workdps(40):
        for u, z in zip(uniform.tolist(), found.tolist(), strict=True):
            off = (mpmath.ncdf(z) - u) / mpmath.npdf(z)  # to first order, which at 1e-15 is all there is
            assert 10 * abs(off) <= INVERSE_ERROR * abs(z)


@pytest.fixture(scope="module")
def numbers():
    return standard_normal(MANY, seeded(11))


def test_moments_are_those_of_the_normal_law(numbers):
    # Each within five of its standard errors: 1, 2, 15, 96, 10170 are the variances of the powers.
    for power, mean, variance in [(1, 0, 1), (2, 1, 2), (3, 0, 15), (4, 3, 96), (6, 15, 10170)]:
        assert (numbers**power).mean() == pytest.approx(mean, abs=5 * math.sqrt(variance / MANY))


def test_the_law_is_normal_by_kolmogorov_and_smirnov_and_by_anderson_and_darling(numbers):
    part = numbers[: 1 << 20]
    assert stats.kstest(part, ndtr).pvalue > 1e-4
    ordered = np.sort(part)
    place = (2 * np.arange(1, len(part) + 1) - 1) / len(part)
    log = np.log(ndtr(ordered)) + np.log(ndtr(-ordered[::-1]))
    assert -len(part) - (place * log).sum() < 9  # its probability is below 1e-4 (Marsaglia and Marsaglia 2004)


def test_cells_up_to_the_far_tails_have_their_expected_counts(numbers):
    edges = np.concatenate([[-np.inf], np.linspace(-4.25, 4.25, 137), [np.inf]])
    counts, _ = np.histogram(numbers, edges)
    below = ndtr(edges)
    expected = np.where(edges[:-1] < 0, np.diff(below), ndtr(-edges[:-1]) - ndtr(-edges[1:])) * MANY
    assert expected.min() > 5
    assert stats.chisquare(counts, expected, sum_check=False).pvalue > 1e-4


def test_beyond_each_deviation_there_are_as_many_numbers_as_there_should_be(numbers):
    for least in (1, 2, 3, 4, 4.5, 5):
        for side in (numbers, -numbers):
            count, expected = int((side > least).sum()), MANY * ndtr(-least)
            assert stats.poisson.cdf(count, expected) > 1e-4
            assert stats.poisson.sf(count - 1, expected) > 1e-4


@pytest.mark.parametrize("run", [0, 1, 10])
def test_within_a_binade_the_tail_is_normal_too(run):
    """Numbers of one length of the run of zeros: what is left of u is uniform."""
    bytes_of = seeded(13 + run)

    def source(count):
        drawn = np.frombuffer(bytes_of(count), dtype=np.uint64)
        return ((drawn & np.uint64(SIGN | MANTISSAS - 1)) | np.uint64(1 << (62 - run))).tobytes()

    found = standard_normal(1 << 18, source)
    within = ndtr(-np.abs(found)) * 2.0 ** (run + 2) - 1
    assert stats.kstest(within, "uniform").pvalue > 1e-4


def test_the_tail_beyond_the_eleven_bits_is_normal_too():
    """All exponent bits zero, fresh words at random: the law beyond 3.5 deviations, half a million numbers of it."""
    bytes_of, first = seeded(17), []

    def source(count):
        drawn = np.frombuffer(bytes_of(count), dtype=np.uint64)
        if first:
            return drawn.tobytes()
        first.append(count)
        return (drawn & np.uint64(SIGN | MANTISSAS - 1)).tobytes()

    found = standard_normal(1 << 19, source)
    assert np.abs(found).min() > -ndtri(2.0**-12)
    assert np.abs(found).max() > 5.5
    assert stats.kstest(ndtr(-np.abs(found)) * 2.0**12, "uniform").pvalue > 1e-4
    assert abs(np.sign(found).mean()) < 5 / math.sqrt(len(found))


def test_numbers_are_independent_of_those_before_them(numbers):
    limit = 5 / math.sqrt(MANY)
    for lag in (1, 2, 3, 50, 300, 4096, 1 << 20):
        assert abs((numbers[lag:] * numbers[:-lag]).mean()) < limit
        assert abs((np.abs(numbers[lag:]) > 1)[np.abs(numbers[:-lag]) > 1].mean() - 2 * ndtr(-1)) < 2 * limit


def test_sign_and_magnitude_are_independent(numbers):
    signs, size = np.sign(numbers), numbers**2
    assert abs((signs * (size - 1)).mean()) < 5 * math.sqrt(2 / MANY)
    loud = size > 9
    assert abs(signs[loud].mean()) < 5 / math.sqrt(loud.sum())
    assert abs((signs[1:] * (size[:-1] - 1)).mean()) < 5 * math.sqrt(2 / MANY)


def test_words_and_dimensions_are_uncorrelated(numbers):
    table = numbers[: 300 * 13_000].reshape(13_000, 300)
    between = np.corrcoef(table, rowvar=False)[np.triu_indices(300, 1)]
    assert np.abs(between).max() < 5.5 / math.sqrt(13_000)
    assert (between**2).mean() * 13_000 == pytest.approx(1, abs=5 * math.sqrt(2 / len(between)))
    rows = table[:200] @ table[200:400].T / math.sqrt(300)
    assert (rows**2).mean() == pytest.approx(1, abs=5 * math.sqrt(2 / rows.size) * 2)


def test_no_number_occurs_twice(numbers):
    # Chance would repeat one of two million numbers of 2^-51 relative precision with a probability below 0.001.
    assert len(np.unique(numbers[: 1 << 21])) == 1 << 21


@pytest.mark.parametrize("count", [0, 1, 1000, (1 << 20) - 1, (1 << 20) + 3])
def test_eight_fresh_bytes_are_taken_for_each_number_and_no_more_than_one_in_2000_asks_again(count):
    taken, bytes_of = [], seeded(19)

    def source(wanted):
        taken.append(wanted)
        return bytes_of(wanted)

    found = standard_normal(count, source)
    assert found.shape == (count,)
    assert 8 * count <= sum(taken) <= 8 * count * (1 + 1 / 2048) + 8 * 5 * (1 + math.sqrt(count / 2048))


def test_the_default_source_is_the_operating_system():
    assert inspect.signature(standard_normal).parameters["random_bytes"].default is os.urandom


def test_no_seed_that_python_or_numpy_knows_repeats_or_moves_anything():
    found = []
    for _ in range(2):
        random.seed(0)
        np.random.seed(0)  # noqa: NPY002 - that is what must not matter
        found.append(standard_normal(100))
        assert random.random() == random.Random(0).random()  # noqa: S311
        assert np.random.random() == np.random.RandomState(0).random()  # noqa: NPY002
    assert not np.isin(*found).any()


def test_forked_processes_draw_different_numbers():
    program = (
        "import os; from nadp.noise.normal import standard_normal; standard_normal(5)\n"
        "for _ in range(2):\n"
        "    pid = os.fork()\n"
        "    if not pid:\n"
        "        print(standard_normal(1)[0].hex(), flush=True); os._exit(0)\n"
        "    os.waitpid(pid, 0)\n"
    )
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, check=True)
    one, other = done.stdout.split()
    assert one != other


def test_fine_fractions_are_uniform_and_precise_near_0():
    def zeros_then_ones(count):
        return b"\0" * count if next(calls) == 0 else b"\xff" * count

    calls = iter(range(2))
    assert 2.0**-64 < fine_fractions(1, zeros_then_ones)[0] < 2.0**-11
    found = fine_fractions(100_000, os.urandom)
    assert ((found > 0) & (found < 1)).all()
    assert np.histogram(found, 10, (0, 1))[0] == pytest.approx(10_000, abs=900)  # nine standard deviations
