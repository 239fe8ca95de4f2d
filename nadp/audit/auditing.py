"""The audit of a release: all attacks and checks on an original and a released embedding."""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from nadp.attacks.hubness import Hubness, hubness
from nadp.attacks.overlap import skewness
from nadp.audit.attacked import attacks
from nadp.audit.checks import (
    STATISTICAL,
    independence_check,
    law_check,
    law_of_the_noise,
    low_bits_check,
    scale_checks,
    self_test_bounds,
)
from nadp.audit.correlation import NoiseCorrelation, noise_correlation
from nadp.audit.distinguish import LowerBound
from nadp.audit.distribution import AuditMeasure
from nadp.audit.noise_fit import NoiseFit
from nadp.audit.pair import Pair
from nadp.audit.verdicts import Verdict
from nadp.embeddings import Embeddings
from nadp.errors import InputError

_FEWEST = 2  # words whose noise is compared


@dataclass(frozen=True)
class Options:
    """Options of an audit.

    Attributes:
        draws: fresh draws for each word of a worst edge in the self-test of the mechanism; 0 skips the self-test.
        false_alarm: family-wise error rate: probability that a correct release fails any statistical check.
    """

    draws: int = 20_000
    false_alarm: float = 0.01


@dataclass(frozen=True)
class ReleaseAudit:
    """The findings of an audit.

    Attributes:
        words: number of words that both embeddings hold.
        missing: number of words of the original that the release lacks.
        extra: number of words of the release that the original lacks; they are not audited.
        attacks: what attackers learn about each word.
        overlap: (n,) the paper's p_i.
        skewness: skewness of p_i, corrected and plain.
        hubness: hubness of the decoded words.
        fit: fit of the noise to its claimed law; None without a claim.
        self_test: lower bounds on epsilon from the self-test of the mechanism (not of the file), by the least component
            size of the class; empty without a claim.
        correlation: correlation with the noise of another release; None if there is no other release.
        verdicts: the checks.
        false_alarm: family-wise error rate: probability that a correct release fails any statistical check.
    """

    words: int
    missing: int
    extra: int
    attacks: list[AuditMeasure]
    overlap: npt.NDArray[np.float64] = field(repr=False)
    skewness: tuple[float, float]
    hubness: Hubness
    fit: NoiseFit | None
    self_test: dict[int, LowerBound]
    correlation: NoiseCorrelation | None
    verdicts: list[Verdict]
    false_alarm: float


def audit_release(
    pair: Pair,
    rng: np.random.Generator,
    *,
    another: Embeddings | None = None,
    prior: npt.NDArray[np.float64] | None = None,
    options: Options | None = None,
) -> ReleaseAudit:
    """Return what a release reveals about the words of a space, and whether it matches its claim.

    Without a claim, the noise scale of each component is estimated, as an attacker would do.

    Args:
        pair: original and release; see nadp.audit.pair.paired.
        rng: random generator for samples and fresh draws.
        another: a second release of the same words; its noise is compared with the noise of the first.
        prior: (n,) the attacker's prior of each word; uniform by default.
        options: number of draws and error rate.

    Raises:
        InputError: if the second release has too few of the words, or other dimensions.
    """
    options = options or Options()
    alarm = options.false_alarm / STATISTICAL
    correlation = None if another is None else _correlation(pair, another)
    verdicts = [*scale_checks(pair, alarm), low_bits_check(pair, rng, alarm)]
    fit = law_of_the_noise(pair)
    if fit is not None and fit.values:
        verdicts.append(law_check(fit, alarm))
    if correlation is not None:
        verdicts.append(independence_check(correlation, alarm))
    self_test = self_test_bounds(pair, options.draws, rng, alarm) if options.draws else {}
    return ReleaseAudit(
        len(pair.rows),
        pair.missing,
        pair.extra,
        attacks(pair, rng, prior),
        pair.overlap,
        (skewness(pair.overlap), skewness(pair.overlap, corrected=False)),
        hubness(pair.nearest, len(pair.space.embeddings.points)),
        fit,
        self_test,
        correlation,
        verdicts,
        options.false_alarm,
    )


def _correlation(pair: Pair, another: Embeddings) -> NoiseCorrelation:
    """Return the correlation with the noise of another release, over the words that all three embeddings hold.

    Raises:
        InputError: if the other release has too few of the words, or other dimensions.
    """
    if another.dimension != pair.noisy.shape[1]:
        raise InputError(f"the other release has {another.dimension} dimensions, this one {pair.noisy.shape[1]}")
    rows = np.array([another.row_of.get(word, -1) for word in pair.words.tolist()])
    common = np.flatnonzero(rows >= 0)
    if len(common) < _FEWEST:
        raise InputError(
            f"the other release has {len(common)} words in common with this one and the original, but at least "
            f"{_FEWEST} are needed: give another release of the same words"
        )
    return noise_correlation(pair.vectors[common], pair.noisy[common], another.vectors[rows[common]])
