"""Gaussian noise of one scale for all words, calibrated exactly or by the classical formula."""

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from nadp.calibration import classical_noise_multiplier, mu_of, noise_multiplier, privacy_profile
from nadp.errors import InputError
from nadp.mechanisms.base import Additive
from nadp.mechanisms.guarantee import Between, Guarantee, Kind
from nadp.mechanisms.preconditions import Measure, budget_measures, graph_measures, passed, unprotected
from nadp.mechanisms.publication import LARGEST_DEVIATION, Differences, Publication, largest_number, last_look
from nadp.noise.grid import grid_of
from nadp.noise.normal import LARGEST_MU, Deviation, deviation
from nadp.space import EmbeddingSpace

_LARGEST_DELTA = 1e-6
_SHARE_OF_A_WORD = 0.1
_ROUNDS = 3


@dataclass(frozen=True)
class Gaussian(Additive):
    """N(0, (u* Delta)^2 I), where Delta is the longest edge of the whole graph (Theorem 2)."""

    name: ClassVar[str] = "gaussian"
    label: ClassVar[str] = "Gaussian"
    colour: ClassVar[str] = "#D55E00"
    kind: ClassVar[Kind] = "(epsilon, delta)-DP"
    publishable: ClassVar[bool] = True
    encodable: ClassVar[bool] = True

    def weights(self, space: EmbeddingSpace) -> npt.NDArray[np.float64]:
        """Return Delta for each word, (n,)."""
        return np.full(len(space), space.neighbourhoods.global_sensitivity)

    def over(self, sensitivity: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return the sensitivity to which each word's noise is calibrated, (n,), from the words' own sensitivities."""
        return np.full(len(sensitivity), sensitivity.max())

    def multiplier(self, epsilon: float, delta: float) -> float:
        """Return u*."""
        return noise_multiplier(epsilon, delta)

    def guarantee(self, space: EmbeddingSpace, epsilon: float, delta: float) -> Guarantee:
        """Return the guarantee of Theorem 2, with the delta that the noise really reaches."""
        multiplier = self.multiplier(epsilon, delta)
        reached_delta, isolated = privacy_profile(epsilon, multiplier), space.neighbourhoods.isolated
        unprotected_share, mu = unprotected(space), mu_of(multiplier)
        return Guarantee(
            str(self), self.kind, epsilon, delta, reached_delta, mu, isolated=isolated, unprotected=unprotected_share
        )

    def publication(
        self,
        space: EmbeddingSpace,
        epsilon: float,
        delta: float | None = None,
        *,
        between: Between = "own graph",
        accept_weak_privacy: bool = False,
    ) -> Publication:
        """Return noise for publication; delta is min(1e-6, 0.1 / number of released words) by default."""
        if not epsilon > 0:
            raise InputError(f"epsilon must be above 0, not {epsilon!r}")
        weights, words = self.weights(space), int(space.released.sum())
        passed(graph_measures(space, weights))
        passed(self.budget_measures(epsilon, delta, words, accept_weak_privacy=accept_weak_privacy))
        differences = Differences(
            weights[space.released],
            space.embeddings.dimension,
            largest_number(space.vectors),
            between,
            space.neighbourhoods.isolated,
            unprotected=unprotected(space),
        )
        publication = self.sized(differences, epsilon, delta)
        return replace(publication, scale=publication.multiplier * weights)

    def budget_measures(
        self, epsilon: float, delta: float | None, words: int, *, accept_weak_privacy: bool
    ) -> list[Measure]:
        """Return measures of whether a budget is strong enough for publication, or explicitly accepted as weak."""
        settled_delta = delta_for(delta, words)
        mu = mu_of(noise_multiplier(epsilon, settled_delta))
        return budget_measures(epsilon, settled_delta, mu, words, accept_weak_privacy=accept_weak_privacy)

    def sized(self, differences: Differences, epsilon: float, delta: float | None = None) -> Publication:
        """Return noise for publication, calibrated to the differences that it must hide.

        Args:
            differences: differences of the m published words; the returned scale is for these, (m,).
            epsilon: privacy budget.
            delta: probability of failure; None for min(1e-6, 0.1 / m).

        Raises:
            InputError: if a parameter is out of range, or the sampler's deviation is too large for the budget.
        """
        weights = differences.sensitivity
        epsilon, delta = float(epsilon), delta_for(delta, len(weights))
        claimed_multiplier = noise_multiplier(epsilon, delta)
        multiplier, grid, sampler_deviation = calibrated(
            weights, epsilon, delta, differences.dimension, differences.largest
        )
        guarantee = Guarantee(
            str(self),
            self.kind,
            epsilon,
            delta,
            privacy_profile(epsilon, claimed_multiplier),
            mu_of(claimed_multiplier),
            differences.between,
            differences.isolated,
            constant=differences.constant,
            unprotected=differences.unprotected,
            selected=differences.selected,
            unbounded=mu_of(multiplier) > LARGEST_MU,
        )
        return Publication(guarantee, self.noise, multiplier, multiplier * weights, grid, sampler_deviation)


@dataclass(frozen=True)
class GaussianClassical(Gaussian):
    """Gaussian noise with sigma = Delta sqrt(2 ln(1.25/delta)) / epsilon (Theorem 1), proved for epsilon < 1 only."""

    name: ClassVar[str] = "gaussian-classical"
    label: ClassVar[str] = "Gaussian, classical"
    colour: ClassVar[str] = "#E69F00"
    publishable: ClassVar[bool] = False
    encodable: ClassVar[bool] = False

    def multiplier(self, epsilon: float, delta: float) -> float:
        """Return sqrt(2 ln(1.25/delta)) / epsilon."""
        return classical_noise_multiplier(epsilon, delta)


def delta_for(delta: float | None, words: int) -> float:
    """Return the given delta, or the default for this number of published words."""
    return min(_LARGEST_DELTA, _SHARE_OF_A_WORD / max(1, words)) if delta is None else float(delta)


def calibrated(
    weights: npt.NDArray[np.float64], epsilon: float, delta: float, dimension: int, largest: float
) -> tuple[float, float, Deviation]:
    """Return multiplier, grid and deviation of Gaussian noise that is large enough to cover all deviations.

    The deviation includes the sampler, the grid, and the cost of checking the published numbers.

    Args:
        weights: (n,) sensitivity of each released word.
        epsilon: claimed.
        delta: claimed.
        dimension: d.
        largest: the largest absolute value in the vectors.

    Raises:
        InputError: if the sampler's deviation is too large for the budget.
    """
    assumed_deviation = Deviation(0.0, 0.0)
    _, look_deviation = last_look(epsilon, delta)
    for _ in range(_ROUNDS):  # the deviation depends on the noise through a ratio that hardly changes
        multiplier = noise_multiplier(
            epsilon - assumed_deviation.epsilon,
            (delta - assumed_deviation.delta) * math.exp(-assumed_deviation.epsilon / 2),
        )
        grid = grid_of(multiplier * weights)
        new_deviation = deviation(dimension, float(multiplier * weights.max()), grid, largest, mu_of(multiplier))
        new_deviation = Deviation(
            new_deviation.epsilon + look_deviation.epsilon, new_deviation.delta + look_deviation.delta
        )
        if new_deviation.epsilon <= assumed_deviation.epsilon and new_deviation.delta <= assumed_deviation.delta:
            return multiplier, grid, assumed_deviation
        assumed_deviation = Deviation(1.01 * new_deviation.epsilon, new_deviation.delta)
        if assumed_deviation.epsilon > min(epsilon / 10, LARGEST_DEVIATION) or assumed_deviation.delta > delta / 10:
            break
    raise InputError(
        f"the sampler may deviate by {assumed_deviation.epsilon:.3g} in epsilon and {assumed_deviation.delta:.3g} "
        f"in delta, too much for epsilon {epsilon:g} and delta {delta:.3g}: choose larger ones, or "
        "mechanism='gaussian'"
    )
