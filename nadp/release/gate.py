"""The gate: attacks on separate draws before anything is published, alone and together with earlier releases."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nadp.attacks.likelihood import recovered
from nadp.audit.checks import low_bits
from nadp.choices import Sampler
from nadp.errors import InputError
from nadp.mechanisms.preconditions import Measure
from nadp.noise.grid import noisy_table
from nadp.release.basis import Attacked
from nadp.search.decoding import nearest_points

_LOW_BITS = "the p-value of the low-bits check"
_OTHERS = 1_000  # additional words for comparison in the floating-point check
_DRAWS = 20  # draws per simulated word, which estimate the probability that it is recovered
_HELP = "choose a smaller epsilon, or another policy for isolated words"


@dataclass(frozen=True)
class Limits:
    """Limits of the gate.

    Attributes:
        max_recovery: the largest share of words that an attack may recover.
        sample: number of attacked words.
        accept_weak_privacy: whether the user accepts an epsilon above 10 at delta 1e-6, or a delta above 1/n.
        max_unprotected: the largest share of words without any guarantee (isolated="global").
        false_alarm: probability that the floating-point check refuses a correct release.
        max_tail: the largest share of words that an attack may recover with a probability above one half.
    """

    max_recovery: float = 0.5
    sample: int = 2_000
    accept_weak_privacy: bool = False
    false_alarm: float = 1e-4
    max_unprotected: float = 0.05
    max_tail: float = 0.05

    def __post_init__(self) -> None:
        if not (0 < self.max_recovery <= 1):
            raise InputError(f"max_recovery must be above 0 and at most 1, not {self.max_recovery!r}")
        for name in ("max_unprotected", "max_tail"):
            if not (0 <= getattr(self, name) <= 1):
                raise InputError(f"{name} must lie between 0 and 1, not {getattr(self, name)!r}")
        if not (0 < self.false_alarm < 1):
            raise InputError(f"false_alarm must lie between 0 and 1, not {self.false_alarm!r}")
        if self.sample < 1:
            raise InputError(f"at least one word must be attacked, not {self.sample!r}")


def draw_measures(
    attacked: Attacked, multiplier: float, grid: float, limits: Limits, sampler: Sampler = "system"
) -> list[Measure]:
    """Return the measures of the gate on a fresh draw: recovery by two attacks, and the floating-point attack.

    Args:
        attacked: the vectors that the noise hides.
        multiplier: noise of the release per unit of sensitivity.
        grid: grid that the release lies on.
        limits: limits of the gate.
        sampler: sampler of the release.
    """
    rng = np.random.default_rng()  # seeded by the operating system: no one may predict the sampled words
    rows = np.sort(rng.permutation(attacked.rows)[: limits.sample + _OTHERS])
    scale, vectors = multiplier * attacked.sensitivity, attacked.embeddings.vectors[rows]
    noisy, _ = noisy_table(vectors, scale[rows], grid, sampler)
    sample = np.sort(rng.permutation(len(rows))[: limits.sample])
    points = attacked.embeddings.points
    truth = points.of_word[rows[sample]]
    nearest_recovery = float((nearest_points(points.vectors, noisy[sample], 1)[:, 0] == truth).mean())
    likelihood_recovery = float(recovered(points.vectors, scale[points.first_word], noisy[sample], truth).mean())
    bits = low_bits(vectors, noisy, scale[rows], rng, limits.false_alarm)
    max_recovery = limits.max_recovery
    return [
        Measure(
            "recovery_nearest",
            "recovery by the nearest word",
            nearest_recovery,
            max_recovery,
            nearest_recovery <= max_recovery,
            _HELP,
        ),
        Measure(
            "recovery_likelihood",
            "recovery by the most likely word",
            likelihood_recovery,
            max_recovery,
            likelihood_recovery <= max_recovery,
            _HELP,
        ),
        Measure("low_bits_p_value", _LOW_BITS, bits.value, bits.limit, bits.passed, "report this fault"),
    ]


def simulated_measures(
    attacked: Attacked, scale: npt.NDArray[np.float64], limits: Limits, help_: str = _HELP
) -> list[Measure]:
    """Return the likelihood attack's mean recovery at given noise scales, and the share of mostly recovered words.

    At the noise scale of the precision-weighted average of several releases, this is what they reveal together. The
    noise is numpy's; none of it is published.

    Args:
        attacked: the vectors that the noise hides.
        scale: (k,) standard deviation of the noise of each of their words.
        limits: limits of the gate.
        help_: remedy if a limit is exceeded.
    """
    rng = np.random.default_rng()
    rows = np.sort(rng.permutation(attacked.rows)[: limits.sample])
    points, vectors = attacked.embeddings.points, np.tile(attacked.embeddings.vectors[rows], (_DRAWS, 1))
    own_scales, truth = np.tile(scale[rows].astype(np.float32), _DRAWS), np.tile(points.of_word[rows], _DRAWS)
    noisy = vectors + own_scales[:, None] * rng.standard_normal(vectors.shape, dtype=np.float32)
    found = recovered(points.vectors, scale[points.first_word], noisy, truth)
    hits = found.reshape(_DRAWS, len(rows)).sum(axis=0)
    mean, tail = float(hits.mean() / _DRAWS), float((hits > _DRAWS / 2).mean())
    mean_label = "recovery from all releases together"
    tail_label = "the share of words recovered with probability above .5"
    return [
        Measure("recovery_together", mean_label, mean, limits.max_recovery, mean <= limits.max_recovery, help_),
        Measure("share_mostly_recovered", tail_label, tail, limits.max_tail, tail <= limits.max_tail, help_),
    ]
