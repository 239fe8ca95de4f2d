"""The curves that an experiment compares, and recipes for the noise at each setting of a curve."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self, cast

import numpy as np
import numpy.typing as npt

from nadp.choices import Isolated
from nadp.embeddings import Floats
from nadp.errors import InputError
from nadp.mechanisms import Additive, FixedTable, Guarantee, Mechanism, additive, named
from nadp.noise import NoiseLaw, law_named
from nadp.scores import NO_NOISE, Score, curve_label
from nadp.space import EmbeddingSpace


@dataclass(frozen=True)
class Curve:
    """One line of a figure: a mechanism, and the graph that its sensitivity comes from.

    Attributes:
        mechanism: name and parameters, see nadp.mechanisms.named, or "none" for the vectors without noise.
        tau: tau of the graph; None if it is not used.
        isolated: the policy for isolated words; None if it is not used.
    """

    mechanism: str
    tau: float | None = None
    isolated: Isolated | None = None

    @classmethod
    def at(cls, mechanism: str, tau: float | None, isolated: str | None) -> Self:
        """Return the curve of a score or of a row in a table of scores; NaN in a table counts as None."""
        no_tau, no_policy = tau is None or tau != tau, not isinstance(isolated, str)  # noqa: PLR0124 - NaN
        return cls(mechanism, None if no_tau else tau, None if no_policy else cast("Isolated", isolated))

    @property
    def noisy(self) -> bool:
        """Whether it has noise."""
        return self.mechanism != NO_NOISE

    @property
    def label(self) -> str:
        """Name of the curve in logs and run names, in ASCII."""
        return curve_label(self.mechanism, self.tau, self.isolated)

    @property
    def parameter(self) -> str | None:
        """The parameter whose values are its settings, such as "epsilon"; None without noise."""
        return None if self.mechanism == NO_NOISE else self.made.parameter

    @property
    def made(self) -> Mechanism:
        """The mechanism; not for the vectors without noise."""
        return named(self.mechanism)

    @property
    def noise(self) -> str | None:
        """The key of the noise law of its base draws; None without noise and for a fixed table."""
        if self.mechanism == NO_NOISE:
            return None
        mechanism = self.made
        return mechanism.noise.key if isinstance(mechanism, Additive) else None


def curves(mechanisms: Sequence[str], taus: Sequence[float], isolated: Sequence[Isolated]) -> list[Curve]:
    """Return the curves of an experiment, first the curve without noise.

    NADP has one curve for each tau and policy. Other mechanisms that need a sensitivity from the graph use the graph of
    the first tau and the first policy. Mahalanobis uses no graph.

    Raises:
        InputError: if a list is empty or a mechanism is unknown.
    """
    for name, values in {"mechanisms": mechanisms, "taus": taus, "isolated": isolated}.items():
        if not values:
            raise InputError(f"{name} must not be empty")
    all_curves = [Curve(NO_NOISE)]
    graphs = [(float(tau), policy) for tau in dict.fromkeys(taus) for policy in dict.fromkeys(isolated)]
    for mechanism in dict.fromkeys(named(text) for text in mechanisms):
        if mechanism.curve_per_graph:
            all_curves += [Curve(str(mechanism), tau, policy) for tau, policy in graphs]
        else:
            all_curves.append(Curve(str(mechanism), *graphs[0]) if mechanism.uses_graph else Curve(str(mechanism)))
    return all_curves


@dataclass(frozen=True)
class Recipe:
    """How to compute M(x) on one curve at one setting, with its guarantee and its noise scale.

    Attributes:
        curve: the curve.
        setting: setting of the curve's parameter; None without noise.
        delta: requested probability of failure.
        multiplier: c(epsilon); 0 without noise and for a fixed table.
        guarantee: the privacy guarantee; None without noise.
        median_scale: median of the words' noise scales.
        noise_to_signal: root of the ratio of the noise's expected squared norm to the vectors' mean squared norm, over
            released words.
        without_noise: share of the released words that get no noise.
        released: share of words that are released.
    """

    curve: Curve
    setting: float | None
    delta: float
    multiplier: float
    guarantee: Guarantee | None
    median_scale: float
    noise_to_signal: float
    without_noise: float
    released: float

    @property
    def epsilon(self) -> float | None:
        """Privacy budget; None without noise and for mechanisms without an epsilon."""
        return self.setting if self.curve.parameter == "epsilon" else None

    def placed(self, score: Score, repeat: int) -> Score:
        """Return a score with its place in the experiment."""
        curve = self.curve
        return score.at(curve.mechanism, curve.tau, curve.isolated, self.setting, repeat, curve.parameter)

    def scores(self, words: int) -> list[Score]:
        """Return the figures of the recipe as scores of the benchmark "noise"."""
        values = {
            "noise-scale-median": self.median_scale,
            "noise-to-signal": self.noise_to_signal,
            "share-without-noise": self.without_noise,
            "share-released": self.released,
            "delta-reached": self.delta_reached,
        }
        return [Score("noise", metric, value, words, 1.0) for metric, value in values.items()]

    @property
    def delta_reached(self) -> float:
        """The smallest delta that the noise actually reaches; NaN if there is no such figure."""
        reached = None if self.guarantee is None else self.guarantee.reached
        return float("nan") if reached is None else reached


def recipe(space: EmbeddingSpace, curve: Curve, setting: float | None, delta: float) -> Recipe:
    """Return the recipe of a curve at a setting, such as an epsilon value.

    Raises:
        InputError: if the mechanism refuses the setting, delta or the space.
    """
    if curve.mechanism == NO_NOISE or setting is None:
        return Recipe(curve, None, delta, 0.0, None, 0.0, 0.0, 1.0, 1.0)
    mechanism, rows = curve.made, space.released
    guarantee = mechanism.guarantee(space, setting, delta)
    multiplier, scale, noise = 0.0, np.zeros(int(rows.sum())), 0.0
    if isinstance(mechanism, Additive):
        multiplier = mechanism.multiplier(setting, delta)
        scale = multiplier * mechanism.weights(space)[rows]
        noise = float((scale**2).mean()) * mechanism.noise.mean_square(space.embeddings.dimension)
    elif isinstance(mechanism, FixedTable):
        scale = np.linalg.norm(mechanism.table(space, setting)[rows] - space.vectors[rows], axis=1).astype(np.float64)
        noise = float((scale**2).mean())
    signal = np.einsum("ij,ij->", space.vectors[rows], space.vectors[rows], dtype=np.float64) / rows.sum()
    return Recipe(
        curve,
        setting,
        delta,
        multiplier,
        guarantee,
        float(np.median(scale)),
        float(np.sqrt(noise / signal)),
        float((scale == 0).mean()),
        float(rows.mean()),
    )


def scales(space: EmbeddingSpace, recipes: Sequence[Recipe]) -> npt.NDArray[np.float64]:
    """Return the noise scale of each word under each recipe of one curve, (r, n)."""
    word_weights = weights(space, recipes[0].curve)
    return np.array([recipe.multiplier * word_weights for recipe in recipes])


def weights(space: EmbeddingSpace, curve: Curve) -> npt.NDArray[np.float64]:
    """Return w(x) of each word on a curve, (n,); zero without additive noise."""
    return np.zeros(len(space)) if curve.noise is None else additive(curve.mechanism).weights(space)


def is_fixed(curve: Curve) -> bool:
    """Return whether a curve's mechanism releases fixed tables instead of adding noise."""
    return curve.mechanism != NO_NOISE and isinstance(curve.made, FixedTable)


def table(space: EmbeddingSpace, recipe: Recipe) -> Floats:
    """Return the table of a recipe whose mechanism releases a fixed table, (n, d).

    Raises:
        InputError: if the mechanism adds noise instead.
    """
    mechanism = recipe.curve.made
    if not isinstance(mechanism, FixedTable) or recipe.setting is None:
        raise InputError(f"{recipe.curve.label} has no fixed table: it adds noise")
    return mechanism.table(space, recipe.setting)


def law(space: EmbeddingSpace, curve: Curve) -> NoiseLaw | None:
    """Return the law of a curve's noise, fitted to the embedding; None without noise."""
    return None if curve.noise is None else law_named(curve.noise).fitted(space.embeddings)
