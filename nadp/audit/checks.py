"""Is a release what is claimed of it: all checks, at one false-alarm rate."""

import numpy as np

from nadp.audit.correlation import NoiseCorrelation
from nadp.audit.distinguish import LowerBound, lower_bound, statistic, worst_edges
from nadp.audit.low_bits import given_away
from nadp.audit.noise_fit import NoiseFit, noise_fit, spread_by_group
from nadp.audit.pair import Pair
from nadp.audit.verdicts import (
    Verdict,
    every_word_has_noise,
    neighbours_share_one_scale,
    noise_has_the_claimed_size,
    noise_has_the_claimed_spread,
)
from nadp.embeddings import Embeddings, Floats
from nadp.mechanisms import base_draw, perturbed

SIZES = (2, 3, 11, 101)
"""Where the classes of component sizes begin, in points."""
STATISTICAL = 5
"""How many statistical checks share the false-alarm rate."""
_LOW_BITS_WORDS, _LOW_BITS_CANDIDATES = 100, 1000


def scale_checks(pair: Pair, alarm: float) -> list[Verdict]:
    """Return whether every word has noise and, where it is claimed to be Gaussian, of the right scale everywhere.

    Args:
        pair: original and release.
        alarm: probability that a release as claimed fails any one of the checks.
    """
    space, words = pair.space, pair.space.embeddings.words
    edges = space.embeddings.points.first_word[space.neighbourhoods.graph.edges]
    found = [every_word_has_noise(pair.exposed, words)]
    scale = pair.claimed_scale
    if scale is not None and pair.claim is not None and pair.claim.family == "gaussian" and (scale > 0).any():
        found.append(neighbours_share_one_scale(pair.noise, edges, words, alarm))
        loud = np.flatnonzero(scale > 0)
        found.append(noise_has_the_claimed_size(pair.noise[loud], scale[loud], words[loud], alarm))
        classes = np.searchsorted(SIZES, space.neighbourhoods.sizes[space.labels], side="right")
        values, squared = spread_by_group(pair.noise, scale, classes)
        names = ["words alone", *(f"components from {size} words" for size in SIZES)]
        found.append(noise_has_the_claimed_spread(squared, values, names, alarm))
    return found


def law_of_the_noise(pair: Pair) -> NoiseFit | None:
    """Return how well the noise fits its claimed law; None where none is claimed, or not one of single numbers."""
    if pair.claim is None or pair.claimed_scale is None or pair.claim.family == "mahalanobis":
        return None
    return noise_fit(pair.noise, pair.claimed_scale, pair.claim.family)


def law_check(fit: NoiseFit, alarm: float) -> Verdict:
    """Return whether the noise may follow its claimed law."""
    says = f"Kolmogorov-Smirnov over {fit.values:,} numbers; spread {fit.spread:.4f} of the claimed one"
    return Verdict("law of the noise", fit.p_value >= alarm, fit.p_value, alarm, says)


def low_bits_check(pair: Pair, rng: np.random.Generator) -> Verdict:
    """Return whether no word of a sample of 100 is given away by the last bits of its numbers among 1,000 others."""
    sample = rng.permutation(len(pair.space))
    words, others = sample[:_LOW_BITS_WORDS], np.sort(sample[-_LOW_BITS_CANDIDATES:])
    found = given_away(pair.space.vectors, pair.noisy, pair.claimed_scale, words, others)
    share = float(found.mean())
    says = f"{found.sum()} of {len(found)} words are given away by the last bits of their numbers"
    return Verdict("low bits", share == 0, share, 0.0, says)


def independence_check(found: NoiseCorrelation, alarm: float) -> Verdict:
    """Return whether the noise of two releases may be independent."""
    says = f"the noise of the two releases has correlation {found.correlation:.4f}"
    return Verdict("independence of two releases", found.p_value >= alarm, found.p_value, alarm, says)


def distinguishing_bounds(pair: Pair, draws: int, rng: np.random.Generator) -> dict[int, LowerBound]:
    """Return what fresh draws of the worst edge of each class of component sizes prove about epsilon.

    Empty where no Gaussian noise is claimed. An edge with a word without noise needs no attack and is left out.

    Args:
        pair: original and release; only its claim and its graph matter here.
        draws: of each of the two words.
        rng: where the fresh noise comes from.
    """
    claim, scale = pair.claim, pair.claimed_scale
    if claim is None or scale is None or claim.family != "gaussian":
        return {}
    points, graph = pair.space.embeddings.points, pair.space.neighbourhoods.graph
    by_point = scale[points.first_word]
    found = {}
    for edge in worst_edges(graph.edges, graph.lengths, pair.space.neighbourhoods.labels, by_point, SIZES):
        one, other = points.vectors[edge.first], points.vectors[edge.second]
        scales = (float(by_point[edge.first]), float(by_point[edge.second]))
        if 0 not in scales:
            first = statistic(fresh_draws(one, scales[0], draws, rng), one, other, scales)
            second = statistic(fresh_draws(other, scales[1], draws, rng), one, other, scales)
            found[edge.size] = lower_bound(first, second, claim.delta)
    return found


def bound_check(bounds: dict[int, LowerBound], epsilon: float) -> Verdict:
    """Return whether no lower bound exceeds the claimed epsilon (each holds with confidence .99)."""
    worst = max((max(b.epsilon, b.epsilon_from_mu) for b in bounds.values()), default=0.0)
    says = f"fresh draws of {len(bounds)} worst edges prove an epsilon of at least {worst:.3g}; claimed is {epsilon:g}"
    return Verdict("distinguishing attack", worst <= epsilon, worst, epsilon, says)


def fresh_draws(vector: Floats, scale: float, draws: int, rng: np.random.Generator) -> Floats:
    """Return noisy versions of one word's vector (d,), (draws, d), made as the Gaussian mechanisms make them."""
    copies = Embeddings(map(str, range(draws)), np.broadcast_to(vector, (draws, len(vector))))
    return perturbed(copies.vectors, base_draw("gaussian", copies, rng), np.full(draws, scale))
