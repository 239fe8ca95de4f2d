"""What an experiment compares: curves, and on each of them the amounts of noise."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self, cast

import numpy as np
import numpy.typing as npt

from nadp.components import Isolated
from nadp.errors import InputError
from nadp.mechanisms import MECHANISMS, mean_square
from nadp.scores import NO_NOISE, Score, curve_label
from nadp.space import EmbeddingSpace


@dataclass(frozen=True)
class Curve:
    """One line of a figure: a mechanism, and the graph that its sensitivity comes from.

    Attributes:
        mechanism: as in MECHANISMS, or "none" for the vectors without noise.
        tau: of the graph; None where it plays no part.
        isolated: the policy for isolated words; None where it plays no part.
    """

    mechanism: str
    tau: float | None = None
    isolated: Isolated | None = None

    @classmethod
    def of(cls, score: Score) -> Self:
        """Return the curve that a score lies on."""
        return cls(score.mechanism, score.tau, cast("Isolated | None", score.isolated))

    @property
    def noisy(self) -> bool:
        """Whether it has noise at all."""
        return self.mechanism != NO_NOISE

    @property
    def label(self) -> str:
        """How the curve is called in logs and run names, in ASCII."""
        return curve_label(self.mechanism, self.tau, self.isolated)


def curves(mechanisms: Sequence[str], taus: Sequence[float], isolated: Sequence[Isolated]) -> list[Curve]:
    """Return the curves of an experiment, the vectors without noise first.

    NADP has one for each tau and policy. The other mechanisms that take a sensitivity from the graph take it from the
    graph of the first tau and the first policy; Mahalanobis does not look at the graph.

    Raises:
        InputError: if a list is empty or a mechanism is unknown.
    """
    for name, values in {"mechanisms": mechanisms, "taus": taus, "isolated": isolated}.items():
        if not values:
            raise InputError(f"{name} must not be empty")
    found = [Curve(NO_NOISE)]
    for name in dict.fromkeys(mechanisms):
        if name not in MECHANISMS:
            raise InputError(f"no mechanism {name!r}: choose from {', '.join(MECHANISMS)}")
        if name == "nadp":
            graphs = [(float(tau), policy) for tau in dict.fromkeys(taus) for policy in dict.fromkeys(isolated)]
            found += [Curve(name, tau, policy) for tau, policy in graphs]
        else:
            found.append(Curve(name, float(taus[0]), isolated[0]) if MECHANISMS[name].uses_graph else Curve(name))
    return found


@dataclass(frozen=True)
class Recipe:
    """How to make M(x) on one curve at one epsilon, and what is known of it before a word is drawn.

    Attributes:
        curve: the curve.
        epsilon: privacy budget; None without noise.
        delta: probability of failure that was asked for.
        multiplier: c(epsilon).
        kind: the notion of privacy.
        delta_reached: the least delta that the noise really reaches; None where there is no such figure.
        statement: what is promised, in words.
        median_scale: median over the words of the scale of their noise.
        noise_to_signal: root of the expected squared norm of the noise over that of the vectors, over released words.
        without_noise: share of the released words that get no noise at all.
        released: share of the words that are released.
    """

    curve: Curve
    epsilon: float | None
    delta: float
    multiplier: float
    kind: str
    delta_reached: float | None
    statement: str
    median_scale: float
    noise_to_signal: float
    without_noise: float
    released: float

    def scores(self, words: int) -> list[Score]:
        """Return the figures of the recipe as scores of the benchmark "noise"."""
        values = {
            "noise-scale-median": self.median_scale,
            "noise-to-signal": self.noise_to_signal,
            "share-without-noise": self.without_noise,
            "share-released": self.released,
            "delta-reached": float("nan") if self.delta_reached is None else self.delta_reached,
        }
        return [Score("noise", metric, value, words, 1.0) for metric, value in values.items()]


def recipe(space: EmbeddingSpace, curve: Curve, epsilon: float | None, delta: float) -> Recipe:
    """Return the recipe of a curve at an epsilon.

    Raises:
        InputError: if the mechanism refuses epsilon, delta or the space.
    """
    if curve.mechanism == NO_NOISE or epsilon is None:
        return Recipe(curve, None, delta, 0.0, "no guarantee", None, "the vectors as they are.", 0.0, 0.0, 1.0, 1.0)
    mechanism = MECHANISMS[curve.mechanism]()
    guarantee = mechanism.guarantee(space, epsilon, delta)
    rows = space.released
    scale = mechanism.noise_scale(space, epsilon, delta)[rows]
    noise = (scale**2).mean() * mean_square(mechanism.noise, space.embeddings.dimension)
    signal = np.einsum("ij,ij->", space.vectors[rows], space.vectors[rows], dtype=np.float64) / rows.sum()
    return Recipe(
        curve,
        epsilon,
        delta,
        mechanism.multiplier(epsilon, delta),
        guarantee.kind,
        guarantee.delta,
        guarantee.statement,
        float(np.median(scale)),
        float(np.sqrt(noise / signal)),
        float((scale == 0).mean()),
        float(rows.mean()),
    )


def scales(space: EmbeddingSpace, recipes: Sequence[Recipe]) -> npt.NDArray[np.float64]:
    """Return the scale of each word's noise under each recipe of one curve, (r, n)."""
    own = weights(space, recipes[0].curve)
    return np.array([recipe.multiplier * own for recipe in recipes])


def weights(space: EmbeddingSpace, curve: Curve) -> npt.NDArray[np.float64]:
    """Return w(x) of each word on a curve, (n,); zero without noise."""
    return np.zeros(len(space)) if curve.mechanism == NO_NOISE else MECHANISMS[curve.mechanism]().weights(space)
