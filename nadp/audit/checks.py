"""All checks of a release against its claim, at one family-wise error rate."""

from collections.abc import Callable
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from nadp.attacks.low_bits import given_away
from nadp.audit.correlation import NoiseCorrelation
from nadp.audit.distinguish import LowerBound, lower_bound, statistic, worst_edges
from nadp.audit.exact import ExactSample
from nadp.audit.noise_fit import NoiseFit, noise_fit
from nadp.audit.pair import Pair
from nadp.audit.shared_noise import shared_noise
from nadp.audit.verdicts import (
    Verdict,
    components_have_the_claimed_noise,
    every_word_has_noise,
    neighbours_share_one_scale,
    no_two_words_share_noise,
    noise_has_the_claimed_size,
)
from nadp.embeddings import Floats, Ids
from nadp.mechanisms import perturbed
from nadp.noise import NoiseLaw

SIZES = (2, 3, 11, 101)
"""Lower ends of the classes of component sizes, in points. The self-test takes one edge from each class."""
STATISTICAL = 7
"""Number of statistical checks that share the family-wise error rate: four of scale_checks and the three below."""
F = TypeVar("F", bound=np.floating)
_DP = "(epsilon, delta)-DP"
_LOW_BITS_WORDS, _LOW_BITS_CANDIDATES = 100, 1000


def scale_checks(pair: Pair, alarm: float) -> list[Verdict]:
    """Return whether every word has noise and, given a claim, whether its scale is right everywhere.

    Args:
        pair: original and release.
        alarm: probability that a correct release fails, for each of these checks.
    """
    space, words = pair.space, pair.words
    verdicts = [every_word_has_noise(pair.exposed, words)]
    scale = pair.claimed_scale
    if scale is None or pair.claim is None or not (scale > 0).any():
        return verdicts
    if pair.claim.kind == _DP and len(pair.edges):
        verdicts.append(neighbours_share_one_scale(pair.noise, pair.edges, words, alarm))
    noisy_words = np.flatnonzero(scale > 0)
    sizes = pair.law.sizes(pair.whitened_noise[noisy_words], scale[noisy_words])
    verdicts.append(noise_has_the_claimed_size(sizes, words[noisy_words], alarm))
    verdicts.append(
        components_have_the_claimed_noise(sizes, space.labels[pair.rows[noisy_words]], words[noisy_words], alarm)
    )
    perturbed = noisy_words[~pair.exposed[noisy_words]]
    noise, noise_scales = pair.whitened_noise[perturbed], scale[perturbed]
    most_parallel = shared_noise(lambda rows: pair.law.directions(noise[rows], noise_scales[rows]), len(perturbed))
    if most_parallel is not None:
        verdicts.append(no_two_words_share_noise(most_parallel, words[perturbed], alarm))
    return verdicts


def law_of_the_noise(pair: Pair) -> NoiseFit | None:
    """Return how well the noise fits its claimed law; None without a claim."""
    if pair.claim is None or pair.claimed_scale is None:
        return None
    return noise_fit(pair.whitened_noise, pair.claimed_scale, pair.law)


def law_check(fit: NoiseFit, alarm: float) -> Verdict:
    """Return whether the noise may follow its claimed law."""
    message = f"Kolmogorov-Smirnov over {fit.values:,} numbers; spread {fit.spread:.4f} times the claimed one"
    return Verdict("distribution of the noise", fit.p_value >= alarm, fit.p_value, alarm, message)


def low_bits_check(pair: Pair, rng: np.random.Generator, alarm: float) -> Verdict:
    """Return whether the low-order bits of a release identify its words; see low_bits."""
    return low_bits(pair.vectors, pair.noisy, pair.claimed_scale, rng, alarm, exact=pair.exact)


def low_bits(  # noqa: PLR0913 - the inputs of an attack
    vectors: Floats,
    noisy: Floats,
    scale: npt.NDArray[np.float64] | None,
    rng: np.random.Generator,
    alarm: float,
    *,
    exact: Callable[[Ids, Ids], ExactSample | None] | None = None,
) -> Verdict:
    """Return whether the low-order bits of a sample of 100 words identify them among 1,000 others.

    The control is the same release with random low-order bits. The check fails if significantly more words are
    identified in the release than in the control (Fisher's exact test).

    The vectors are float32. If the release was published with more digits, they are attacked as well: a word is
    identified if it is identified by either, in the release and in the control.

    Args:
        vectors: (m, d) vectors without noise.
        noisy: (m, d) released vectors.
        scale: (m,) noise scale of each word; None if unknown.
        rng: random generator for the sample and the control.
        alarm: probability that a release without traces fails.
        exact: returns the rows of the sampled words and of the others with all digits, if there are more than float32
            holds; see Pair.exact.
    """
    sample = rng.permutation(len(vectors))
    words, candidates = sample[:_LOW_BITS_WORDS], np.sort(sample[-_LOW_BITS_CANDIDATES:])
    found = [given_away(vectors, table, scale, words, candidates) for table in (noisy, _stirred(noisy, rng))]
    rows = None if exact is None else exact(words, candidates)
    if rows is not None:
        hidden = (vectors[words] != noisy[words]).any(axis=1)
        by_all_digits = _given_away_exactly(rows, None if scale is None else scale[words], rng)
        found = [either | (hidden & also) for either, also in zip(found, by_all_digits, strict=True)]
    hits, chance_hits = (int(identified.sum()) for identified in found)
    tested = len(words)
    counts = np.array([[hits, tested - hits], [chance_hits, tested - chance_hits]])
    from scipy.stats import fisher_exact  # noqa: PLC0415 - slow to import

    tail = float(fisher_exact(counts, "greater").pvalue)
    message = (
        f"{hits} of {tested} words are identified by the low-order bits of their numbers "
        f"({chance_hits} with random bits)"
    )
    return Verdict("low-order bits", tail >= alarm, tail, alarm, message, "safety")


def _given_away_exactly(
    rows: ExactSample, scale: npt.NDArray[np.float64] | None, rng: np.random.Generator
) -> list[npt.NDArray[np.bool_]]:
    """Return which words the digits beyond float32 identify, in the release and in the control.

    Float32 arithmetic is left out: the control would keep its traces.
    """
    tested = len(rows.noisy)
    words, candidates = np.arange(tested), np.arange(tested, len(rows.originals[0]))
    return [
        np.any(
            [given_away(x, noisy, scale, words, candidates, dtypes=(np.float64,)) for x in rows.originals],
            axis=0,
        )
        for noisy in (rows.noisy, _stirred(rows.noisy, rng))
    ]


def _stirred(noisy: npt.NDArray[F], rng: np.random.Generator) -> npt.NDArray[F]:
    """Return numbers with random low-order bits."""
    stirred = noisy * (1 + rng.integers(1, 9, noisy.shape) * np.finfo(noisy.dtype).eps)
    return stirred.astype(noisy.dtype)


def independence_check(correlation: NoiseCorrelation, alarm: float) -> Verdict:
    """Return whether the noise of two releases may be independent; not if there is none that could be compared."""
    message = f"the noise of the two releases has correlation {correlation.correlation:.4f}"
    if not correlation.values:
        message = "fewer than two words have noise in both releases, so their noise cannot be compared"
    return Verdict(
        "independence of two releases", correlation.p_value >= alarm, correlation.p_value, alarm, message, "safety"
    )


def self_test_bounds(pair: Pair, draws: int, rng: np.random.Generator, alarm: float) -> dict[int, LowerBound]:
    """Return lower bounds on epsilon from fresh draws of the worst edge of each class of component sizes.

    This is a self-test of the mechanism: it draws fresh noise and never reads the released vectors. The result is empty
    if no Gaussian noise is claimed. Edges with a word without noise are left out: they need no attack.

    Args:
        pair: original and release; only the claim and the graph are used.
        draws: number of draws of each of the two words.
        rng: random generator for the fresh noise.
        alarm: probability that any bound is wrong.
    """
    claim = pair.claim
    if claim is None or claim.kind != _DP:
        return {}
    points, graph, scale_of_point = pair.space.embeddings.points, pair.space.neighbourhoods.graph, pair.scale_of_points
    bounds = {}
    for edge in worst_edges(graph.edges, graph.lengths, pair.space.neighbourhoods.labels, scale_of_point, SIZES):
        first_vector, second_vector = points.vectors[edge.first], points.vectors[edge.second]
        scales = (float(scale_of_point[edge.first]), float(scale_of_point[edge.second]))
        if 0 not in scales:
            first = statistic(
                fresh_draws(pair.law, first_vector, scales[0], draws, rng), first_vector, second_vector, scales
            )
            second = statistic(
                fresh_draws(pair.law, second_vector, scales[1], draws, rng), first_vector, second_vector, scales
            )
            bounds[edge.size] = lower_bound(first, second, claim.delta, 1 - alarm / len(SIZES))
    return bounds


def fresh_draws(law: NoiseLaw, vector: Floats, scale: float, draws: int, rng: np.random.Generator) -> Floats:
    """Return noisy versions (draws, d) of one word's vector (d,), with noise added as mechanisms of a law add it."""
    copies = np.broadcast_to(vector, (draws, len(vector)))
    return perturbed(copies, law.draw(draws, len(vector), rng), np.full(draws, scale))
