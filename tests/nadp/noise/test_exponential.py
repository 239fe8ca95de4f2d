"""Laplace and Gamma numbers for publication: bits by mpmath, law by seeded bytes, the bound by exact laws."""

import inspect
import math
import os

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from nadp.noise.exponential import _FARTHEST, _LOG_ERROR, laplace_deviation, standard_gamma, standard_laplace
from nadp.noise.grid import on_grid
from nadp.noise.normal import standard_normal
from nadp.noise.uniform import AT_A_TIME
from tests.nadp.noise.exact_law import ExactLaw
from tests.nadp.noise.sources import MANTISSAS, SIGN, Crafted, Tape, seeded
from tests.nadp.noise.test_normal import RUNS, true_uniform

MANY = 1 << 21
MANTISSA = [0, 1, MANTISSAS // 3, MANTISSAS // 2, MANTISSAS - 2, MANTISSAS - 1]
words = st.integers(0, 2**64 - 1).map(lambda word: word | 1 << 52)  # settled without a fresh word


def true_exponential(zeros, mantissa):
    """-ln 2u of the uniform number that a bit pattern stands for, to some 40 digits."""
    uniform = true_uniform(zeros, mantissa)
    with mpmath.workdps(60):
        return -mpmath.log(2 * mpmath.mpf(uniform.numerator) / uniform.denominator)


def parts(word):
    """The run of zeros and the mantissa of a word that needs no fresh one."""
    return 11 - (word >> 52 & 0x7FF).bit_length(), word % MANTISSAS


@pytest.mark.parametrize("zeros", RUNS)
def test_a_bit_pattern_gives_the_laplace_number_it_stands_for(zeros):
    for mantissa in MANTISSA:
        up, down = (float(standard_laplace(1, Crafted(bit, zeros, mantissa))[0]) for bit in (0, 1))
        exact = true_exponential(zeros, mantissa)
        assert up == -down > 0
        assert abs(up - exact) <= _LOG_ERROR * exact


def test_the_logarithm_is_six_times_as_precise_as_certificates_assume_in_every_binade():
    rng = np.random.default_rng(4)
    zeros = np.concatenate([np.repeat(np.arange(40), 40), np.arange(40, 1011)])
    mantissa = rng.integers(0, MANTISSAS, len(zeros))
    mantissa[:20] = MANTISSAS - 1 - 2 ** np.arange(20)  # 2u next to 1, where the logarithm is next to 0
    found = standard_laplace(len(zeros), Crafted(0, zeros, mantissa))
    for run, tail, number in zip(zeros.tolist(), mantissa.tolist(), found.tolist(), strict=True):
        exact = true_exponential(run, tail)
        assert 6 * abs(number - exact) <= _LOG_ERROR * exact


@given(words)
def test_the_uppermost_bit_is_the_sign_and_nothing_else(word):
    one, other = (standard_laplace(1, Tape(w))[0] for w in (word, word ^ SIGN))
    assert one == -other
    assert (one < 0) == bool(word & SIGN)
    assert abs(one) == pytest.approx(float(true_exponential(*parts(word))), rel=_LOG_ERROR)


@given(st.lists(words, min_size=6, max_size=6))
def test_gamma_numbers_are_sums_of_exponential_ones_each_of_a_word_of_its_own(drawn):
    exact = [true_exponential(*parts(word)) for word in drawn]
    for shape in (1, 2, 3, 6):
        found = standard_gamma(shape, 6 // shape, Tape(*drawn))
        sums = [float(sum(exact[i : i + shape])) for i in range(0, 6, shape)]
        assert found.tolist() == pytest.approx(sums, rel=_LOG_ERROR)
    assert standard_gamma(6, 1, Tape(*[word ^ SIGN for word in drawn])).tolist() == found.tolist()


@pytest.mark.parametrize(("zeros", "least"), [(62, 42), (145, 100), (1010, 700), (1050, 727)])
def test_the_far_tails_are_there(zeros, least):
    assert least < standard_laplace(1, Crafted(0, zeros, MANTISSAS - 1))[0] < least + 1


@pytest.mark.parametrize("rounds", [1, 2, 10, 19, 20])
def test_a_source_that_gives_zeros_for_a_while_gives_numbers_within_the_farthest(rounds):
    last = 1 << 12  # the lowest of the bits that are looked at
    found = standard_laplace(2, Tape(0, SIGN, *[0] * (2 * (rounds - 1)), last, last))
    assert found[0] == -found[1] > 0
    assert found[0] < _FARTHEST
    with pytest.raises(RuntimeError, match="only zeros"):
        standard_gamma(1, 1, Tape(*[0] * 21))


@pytest.mark.parametrize("word", [2**64 - 1, 2**63 - 1, (1 << 62) | (MANTISSAS - 1)])
def test_no_bytes_give_zero_by_rounding(word):
    assert abs(standard_laplace(1, Tape(word))[0]) == 2.0**-53
    assert standard_gamma(3, 1, Tape(word, word, word))[0] == 3 * 2.0**-53


@pytest.mark.parametrize("draw", [standard_laplace, lambda count, source: standard_gamma(3, count, source)])
def test_a_source_that_gives_too_few_bytes_is_refused(draw):
    with pytest.raises(RuntimeError, match=r"\d+ bytes, not \d+"):
        draw(4, lambda count: bytes(count - 8))


@pytest.fixture(scope="module")
def laplace():
    return standard_laplace(MANY, seeded(23))


def test_moments_are_those_of_the_laplace_law(laplace):
    for power in (1, 2, 3, 4, 6):
        mean = math.factorial(power) if power % 2 == 0 else 0
        variance = math.factorial(2 * power) - mean**2
        assert (laplace**power).mean() == pytest.approx(mean, abs=5 * math.sqrt(variance / MANY))


def test_the_law_is_laplace_by_kolmogorov_and_smirnov_and_by_counts(laplace):
    assert stats.kstest(laplace[: 1 << 20], stats.laplace.cdf).pvalue > 1e-4
    edges = np.concatenate([[-np.inf], np.linspace(-9, 9, 145), [np.inf]])
    counts, _ = np.histogram(laplace, edges)
    expected = MANY * np.where(edges[:-1] < 0, np.diff(stats.laplace.cdf(edges)), -np.diff(stats.laplace.sf(edges)))
    assert expected.min() > 5
    assert stats.chisquare(counts, expected, sum_check=False).pvalue > 1e-4


@pytest.mark.parametrize("run", [0, 1, 10, None])
def test_within_a_binade_and_beyond_the_eleven_bits_the_law_is_exponential_too(run):
    """Numbers of one length of the run of zeros; None: of all that go on in fresh words, which are drawn as well."""
    bytes_of, first = seeded(29), []

    def source(count):
        drawn = np.frombuffer(bytes_of(count), dtype=np.uint64)
        if first:
            return drawn.tobytes()
        first.append(count)
        exponent = np.uint64(0 if run is None else 1 << (62 - run))
        return ((drawn & np.uint64(SIGN | MANTISSAS - 1)) | exponent).tobytes()

    found = standard_laplace(1 << 18, source)
    below = np.exp(-np.abs(found))
    within = below * 2.0**11 if run is None else below * 2.0 ** (run + 1) - 1
    assert stats.kstest(within, "uniform").pvalue > 1e-4
    assert abs(np.sign(found).mean()) < 5 / math.sqrt(len(found))


def test_numbers_are_independent_of_each_other_and_of_their_signs(laplace):
    size = (np.abs(laplace) - 1) ** 2
    assert abs((np.sign(laplace) * (np.abs(laplace) - 1)).mean()) < 5 / math.sqrt(MANY)
    for lag in (1, 2, 3, 50, 300, 4096, AT_A_TIME):
        assert abs((laplace[lag:] * laplace[:-lag]).mean() / 2) < 5 / math.sqrt(MANY - lag)
        assert abs(((size[lag:] - 1) * (size[:-lag] - 1)).mean() / 8) < 5 / math.sqrt(MANY - lag)  # 8 is the variance


def test_no_number_occurs_twice(laplace):
    assert len(np.unique(laplace)) == MANY


@pytest.mark.parametrize("shape", [1, 2, 50, 300])
def test_gamma_numbers_have_their_law_and_are_independent(shape):
    count = (1 << 21) // shape  # more than are made at a time
    found = standard_gamma(shape, count, seeded(31 + shape))
    assert stats.kstest(found[: 1 << 17], stats.gamma(shape).cdf).pvalue > 1e-4
    assert found.mean() == pytest.approx(shape, abs=5 * math.sqrt(shape / count))
    assert found.var() == pytest.approx(shape, abs=5 * math.sqrt((2 * shape**2 + 6 * shape) / count))
    standard = (found - shape) / math.sqrt(shape)
    for lag in (1, 2, AT_A_TIME // shape):
        assert abs((standard[lag:] * standard[:-lag]).mean()) < 5 / math.sqrt(count - lag)


@pytest.mark.parametrize("count", [0, 1, 1000, AT_A_TIME - 1, AT_A_TIME + 3])
def test_eight_fresh_bytes_are_taken_for_each_exponential_number(count):
    taken, bytes_of = [], seeded(19)

    def source(wanted):
        taken.append(wanted)
        return bytes_of(wanted)

    most = 1 + 1 / 2048 + 5 * math.sqrt(1 / 2048 / max(1, count))
    assert standard_laplace(count, source).shape == (count,)
    assert 8 * count <= sum(taken) <= 8 * count * most + 40
    taken.clear()
    assert standard_gamma(2, count // 2, source).shape == (count // 2,)
    assert 16 * (count // 2) <= sum(taken) <= 16 * (count // 2) * most + 40


def test_a_shape_larger_than_what_is_made_at_a_time_is_summed_too():
    found = standard_gamma(AT_A_TIME + 5, 2, seeded(3))
    assert found == pytest.approx(AT_A_TIME + 5, abs=5 * math.sqrt(AT_A_TIME))
    assert found[0] != found[1]


@pytest.mark.parametrize("draw", [standard_laplace, standard_gamma, standard_normal])
def test_the_default_source_is_the_operating_system(draw):
    assert inspect.signature(draw).parameters["random_bytes"].default is os.urandom


class Flipped:
    """The bytes of a source, the sign bits of its first words the other way round: set for numbers below 0."""

    def __init__(self, source):
        self.source, self.flip = source, np.uint64(SIGN)

    def __call__(self, count):
        found = np.frombuffer(self.source(count), dtype=np.uint64) ^ self.flip
        self.flip = np.uint64(0)
        return found.tobytes()


def made(vectors, scale, grid, source):
    return on_grid(vectors, scale * standard_laplace(len(vectors), Flipped(source))[:, None], grid)


LAPLACE = ExactLaw(made, deepest=1000, around=3000)
NEAR = np.array([0.003, 0.01, 0.1, 0.5, 0.9, 1.7, 3, 5, 8, 13, 21, 34])
FAR = np.array([60.0, 100, 200, 350, 500, 690])
TERMS = [
    (0.3, 1.0, 2.0**-10),
    (-3.7, 1.4567, 2.0**-10),
    (12.3, 0.7331, 2.0**-30),
    (0.0, 1000.1, 2.0**-12),
    (1e-3, 1e-6, 2.0**-31),
    (1e5, 0.9, 2.0**-11),
    (-3.2e7, 1.1, 2.0**-10),
    (5.5, 1.0, 2.0**-38),
]


def ideal(x, scale, grid, cells):
    """What the Laplace law gives each, to some 40 digits."""
    x, found = mpmath.mpf(float(np.float32(x))), []
    for cell in cells:
        ends = [(mpmath.mpf(float(cell)) + half) * mpmath.mpf(grid) - x for half in (-0.5, 0.5)]
        low, high = sorted(abs(end) / mpmath.mpf(float(scale)) for end in ends)
        found.append((mpmath.exp(-low) - mpmath.exp(-high)) / 2)
    return found


def cells_at(x, scale, grid, sizes):
    return np.rint((float(np.float32(x)) + scale * np.concatenate([-sizes, sizes])) / grid)


def largest_error(x, scale, grid, sizes):
    """Of the probabilities, relative."""
    cells = cells_at(x, scale, grid, sizes)
    with mpmath.workdps(60):
        pairs = zip(LAPLACE.law((x, scale, grid), cells), ideal(x, scale, grid, cells), strict=True)
        return max(float(abs(mpmath.mpf(p.numerator) / p.denominator / q - 1)) for p, q in pairs)


def bound(x, scale, grid):
    """On one probability: the ratio of two numbers' probabilities lies between (1 - m) / (1 + m) and its inverse."""
    return math.tanh(laplace_deviation(1, scale, grid, abs(float(np.float32(x)))).epsilon / 2)


@pytest.mark.parametrize(("x", "scale", "grid"), TERMS)
def test_no_probability_is_farther_from_the_laplace_law_than_the_bound_says(x, scale, grid):
    assert 0 < largest_error(x, scale, grid, NEAR) <= bound(x, scale, grid)
    assert bound(x, scale, grid) / 1000 < largest_error(x, scale, grid, FAR) <= bound(x, scale, grid)


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 10.0, 40.0])
def test_the_privacy_loss_of_two_neighbours_is_at_most_epsilon_with_what_the_bound_adds(epsilon):
    x, other, scale = 0.25, 1.25, 1 / epsilon
    grid = 2.0 ** (np.floor(np.log2(scale)) - 10)
    cells = cells_at(x, scale, grid, NEAR)
    cells = cells[np.abs(cells - other / grid) > 3]
    p, q = (LAPLACE.law((place, scale, grid), cells) for place in (x, other))
    with mpmath.workdps(60):
        losses = [mpmath.log(mpmath.mpf(r.numerator) / r.denominator) for r in p / q]
    assert max(abs(loss) for loss in losses) <= epsilon + laplace_deviation(1, scale, grid, other).epsilon
    assert max(abs(loss) for loss in losses) > 0.99 * epsilon


def test_the_whole_law_sums_to_one_half_on_either_side():
    for sign in (0, 1):
        (all_of_them,) = LAPLACE.patterns_beyond(sign, (0.0, 1.0, 2.0**-10), np.array([0.0]))
        assert all_of_them == 1 << (LAPLACE.deepest + 53)


def test_the_bound_grows_with_the_dimension_and_with_whatever_hides_bits():
    base = laplace_deviation(100, 1.0, 2.0**-10, 1.0).epsilon
    assert laplace_deviation(200, 1.0, 2.0**-10, 1.0).epsilon == pytest.approx(2 * base)
    assert laplace_deviation(100, 1.0, 2.0**-11, 1.0).epsilon == pytest.approx(2 * base)
    assert laplace_deviation(100, 1.0, 2.0**-10, 1e9).epsilon > 1000 * base
    assert laplace_deviation(100, 4.0, 2.0**-10, 1.0).epsilon > 3 * base
    assert laplace_deviation(100, 1.0, 2.0**-10, 1.0).delta == 0
    assert laplace_deviation(1, 1.0, 2.0**-41, 1.0).epsilon == math.inf


def test_two_probabilities_may_be_off_in_opposite_directions_in_every_dimension():
    one, two = (math.tanh(laplace_deviation(1, 1.0, grid, 1.0).epsilon / 2) for grid in (2.0**-37, 2.0**-38))
    assert two == pytest.approx(2 * one, rel=1e-12)
    assert 0.2 < two < 0.9
    assert laplace_deviation(7, 1.0, 2.0**-38, 1.0).epsilon == pytest.approx(7 * math.log((1 + two) / (1 - two)))
