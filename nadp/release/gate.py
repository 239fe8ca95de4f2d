"""The gate: what must hold before anything is published. It looks at a draw of its own, never at the published one."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nadp.attacks.likelihood import most_likely
from nadp.audit.checks import low_bits_check
from nadp.audit.pair import Claim, Pair
from nadp.errors import InputError
from nadp.mechanisms import MECHANISMS
from nadp.noise.grid import noisy_table
from nadp.search.decoding import nearest_points
from nadp.space import EmbeddingSpace

_OTHERS = 1_000  # words that the low-bits check compares with, beside those that are attacked
WEAK = 10.0
"""Above this epsilon a release needs its user's word that a weak promise is meant."""


@dataclass(frozen=True)
class Limits:
    """What a release may give away.

    Attributes:
        max_recovery: the largest share of words that an attack may get back.
        sample: how many words are attacked.
        accept_weak_privacy: whether an epsilon above 10 is meant.
        false_alarm: probability that the low-bits check refuses a release without traces.
    """

    max_recovery: float = 0.5
    sample: int = 2_000
    accept_weak_privacy: bool = False
    false_alarm: float = 1e-4

    def __post_init__(self) -> None:
        if not (0 < self.max_recovery <= 1):
            raise InputError(f"max_recovery must be above 0 and at most 1, not {self.max_recovery!r}")
        if not (0 < self.false_alarm < 1):
            raise InputError(f"false_alarm must lie between 0 and 1, not {self.false_alarm!r}")
        if self.sample < 1:
            raise InputError(f"at least one word must be attacked, not {self.sample!r}")


@dataclass(frozen=True)
class Measure:
    """One measure of the gate.

    Attributes:
        name: what was measured.
        value: what came out.
        limit: what it was held against.
        passed: whether it may be published.
        would_help: what to change if not.
    """

    name: str
    value: float
    limit: float
    passed: bool
    would_help: str

    def __str__(self) -> str:
        return f"{self.name} is {self.value:.4g}, the limit {self.limit:.4g}: {self.would_help}"


class RefusedError(InputError):
    """A release that must not be published; the message names each measure that speaks against it."""

    def __init__(self, measures: list[Measure]) -> None:
        self.measures = measures
        reasons = "; ".join(str(measure) for measure in measures if not measure.passed)
        super().__init__(f"not released: {reasons}")


def promise_measures(
    space: EmbeddingSpace, scale: npt.NDArray[np.float64], epsilon: float, limits: Limits
) -> list[Measure]:
    """Return what can be said before a number is drawn: noise everywhere, one scale on an edge, an epsilon that counts.

    Args:
        space: n words.
        scale: (n,) standard deviation of each word's noise.
        epsilon: the claimed budget.
        limits: of the release.
    """
    released = space.released
    silent = float((~(scale[released] > 0)).mean())
    ends = scale[space.embeddings.points.first_word][space.neighbourhoods.graph.edges]
    uneven = float((ends[:, 0] != ends[:, 1]).mean())
    allowed = np.inf if limits.accept_weak_privacy else WEAK
    exact = space.neighbourhoods.isolated == "exact"
    alone = float(space.neighbourhoods.was_isolated[space.embeddings.points.of_word].mean()) if exact else 0.0
    return [
        Measure(
            "the share of words that isolated='exact' leaves without a promise",
            alone,
            0.0,
            alone == 0,
            "choose isolated='nearest' or 'drop'",
        ),
        Measure("the share of words without noise", silent, 0.0, silent == 0, "choose isolated='nearest' or 'drop'"),
        Measure("the share of edges with two scales", uneven, 0.0, uneven == 0, "choose mechanism='nadp'"),
        Measure(
            "epsilon",
            epsilon,
            allowed,
            epsilon <= allowed,
            "choose a smaller epsilon, or accept weak privacy in so many words (accept_weak_privacy)",
        ),
    ]


def draw_measures(space: EmbeddingSpace, claim: Claim, grid: float, limits: Limits) -> list[Measure]:
    """Return what an attacker gets from a draw of some words: words by two attacks, and words by their last bits.

    Args:
        space: n words.
        claim: what will be said of the release.
        grid: that the release lies on.
        limits: of the release.
    """
    rng = np.random.default_rng()  # the operating system's entropy: nobody is to foresee which words are looked at
    rows = np.flatnonzero(space.released)
    rows = np.sort(rng.permutation(rows)[: limits.sample + _OTHERS])
    scale = MECHANISMS[claim.mechanism]().noise_scale(space, claim.epsilon, claim.delta)[rows]
    noisy, _ = noisy_table(space.vectors[rows], scale, grid)
    pair = Pair(space, rows, noisy, claim)
    chosen = np.sort(rng.permutation(len(rows))[: limits.sample])
    points = space.embeddings.points
    truth = points.of_word[rows[chosen]]
    near = float((nearest_points(points.vectors, noisy[chosen], 1)[:, 0] == truth).mean())
    (found,) = most_likely(points.vectors, pair.scale_of_points, noisy[chosen])
    likely = float((found == truth).mean())
    help_ = "choose a smaller epsilon, or another policy for isolated words"
    bits = low_bits_check(pair, rng, limits.false_alarm)
    most = limits.max_recovery
    return [
        Measure("recovery by the nearest word", near, most, near <= most, help_),
        Measure("recovery by the most likely word", likely, most, likely <= most, help_),
        Measure("the p-value of the low-bits check", bits.value, bits.limit, bits.passed, "a fault here: tell us"),
    ]
