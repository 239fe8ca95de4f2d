"""The privacy guarantee: the formal statement of what a mechanism, a release or an encoded text protects."""

import math
from dataclasses import dataclass
from typing import Literal

from nadp.calibration import composed_mu, epsilon_of
from nadp.choices import Isolated
from nadp.errors import InputError

Kind = Literal["(epsilon, delta)-DP", "epsilon-DP", "metric DP", "groups", "no guarantee"]
Between = Literal["own graph", "public graph", "public sensitivity", "any vectors", "tokens", "groups"]
"""The scope of the guarantee: what it makes indistinguishable.

"own graph": a word's vector and a neighbouring word's, if graph, noise scales and grid count as known;
"public graph": two vectors of a word that are at most as far apart as the word's sensitivity in a public graph;
"public sensitivity": two vectors of a word that are at most a public constant apart;
"any vectors": any two vectors of a word, after clipping to a public length;
"tokens": a token and a neighbouring word in the graph of a public embedding;
"groups": two words of one group, in a public partition of a public embedding.
"""

_BETWEEN: dict[Between, str] = {
    "own graph": "for one word replaced by a word that is joined to it in the neighbour graph, "
    "given that the graph, the noise scales and the grid are known",
    "public graph": "for two tables that differ in one word's vector by at most that word's public sensitivity",
    "public sensitivity": "for two tables that differ in one word's vector by at most {constant}, a public constant",
    "any vectors": "for two tables that differ in one word's vector, whatever the two vectors are: "
    "all are shortened to a length of {constant} at most",
    "tokens": "for one token replaced by a word that is joined to it in the neighbour graph",
    "groups": "for words of one group, which always have the same output",
}
_UNPROTECTED = "; words without any guarantee: {:.2%}"
_SELECTED = "; the decision to release is not covered, since the gate read the vectors"
_UNBOUNDED = "; no bound is claimed for what the sampler adds with so little noise"
_ISOLATED: dict[Isolated, str] = {
    "nearest": "",
    "global": "; isolated words get noise, but have no neighbour and therefore no guarantee",
    "drop": "; isolated words are left out",
    "exact": "; isolated words get NO noise and are released unchanged",
}


@dataclass(frozen=True)
class Guarantee:
    """The privacy guarantee at one setting of a mechanism, as plain data that can be saved and loaded.

    Attributes:
        mechanism: name and parameters, see nadp.mechanisms.named.
        kind: the notion of privacy.
        epsilon: privacy budget; for metric DP, per unit of distance.
        delta: requested probability of failure; 0 for pure and metric DP.
        reached: the least delta that the noise really reaches at epsilon; None if it is not known.
        mu: mu of Gaussian differential privacy; None if the noise is not Gaussian.
        between: the scope of the guarantee.
        isolated: the policy for isolated words; None if the guarantee does not use a graph of these vectors.
        reason: why there is no guarantee; empty if there is one.
        posterior: the largest posterior of any word that any attacker can reach under the prior; groups only.
        success: recovery of the best attacker under the prior; groups only.
        prior: assumed word frequencies; groups only.
        constant: the public sensitivity, or the length to which vectors are clipped; None for other scopes.
        unprotected: share of words without any guarantee; None if not counted.
        selected: whether the decision to release depended on the vectors.
        unbounded: whether no bound on the sampler's deviation is claimed, because the noise is too small (mu above 10).
    """

    mechanism: str
    kind: Kind
    epsilon: float
    delta: float
    reached: float | None = None
    mu: float | None = None
    between: Between = "own graph"
    isolated: Isolated | None = None
    reason: str = ""
    posterior: float | None = None
    success: float | None = None
    prior: str = ""
    constant: float | None = None
    unprotected: float | None = None
    selected: bool = False
    unbounded: bool = False

    @property
    def conditional(self) -> bool:
        """Whether it holds only if graph, noise scales and grid count as known, although they depend on the vectors."""
        return self.between == "own graph" and self.isolated is not None

    @property
    def statement(self) -> str:
        """The guarantee in words, with its conditions."""
        epsilon, delta = exact_figure(self.epsilon), exact_figure(self.delta)
        if self.kind == "no guarantee":
            return f"no guarantee: {self.reason}"
        if self.kind == "groups":
            return self._of_groups
        if self.kind == "metric DP":
            return (
                "metric differential privacy: two words at Mahalanobis distance r are "
                f"({epsilon} r)-indistinguishable. This epsilon cannot be compared with the other mechanisms' epsilon, "
                "and no bound on its floating-point error is proved"
            )
        if self.kind == "epsilon-DP":
            budget = f"{epsilon}-differential privacy (delta 0)"
        elif self.reached is not None and self.reached > self.delta:
            return (
                f"the noise does NOT reach delta {delta} at epsilon {epsilon}: "
                f"its true delta is {self.reached:.3g}, {self.reached / self.delta:.3g} times as large"
            )
        else:
            budget = f"({epsilon}, {delta})-differential privacy"
        scope = _BETWEEN[self.between].format(constant=exact_figure(self.constant or 0.0))
        isolated = _ISOLATED[self.isolated] if self.isolated else ""
        unprotected_note = "" if self.unprotected is None else _UNPROTECTED.format(self.unprotected)
        open_questions = (_SELECTED if self.selected else "") + (_UNBOUNDED if self.unbounded else "")
        return f"{budget} {scope}{isolated}{unprotected_note}{open_questions}"

    @property
    def _of_groups(self) -> str:
        """The guarantee of groups in words."""
        certainty = (
            f"no attacker is surer of a word than {self.posterior:.4g} or finds more than {self.success:.4g} of them"
        )
        if not self.epsilon:
            return (
                "not differential privacy: all words of a group have the same output; under the prior "
                f"({self.prior}), for independent words, {certainty}. The group, and with it the topic, is not hidden"
            )
        epsilon, once_note = exact_figure(self.epsilon), " that are encoded once" if self.mu is None else ""
        indistinguishability = f"({epsilon} r)-indistinguishable"
        if self.mu is not None:
            delta = exact_figure(self.delta)
            indistinguishability = f"({self.mu:.4g} r)-GDP, which is ({epsilon}, {delta})-differential privacy at r = 1"
        open_questions = _UNBOUNDED if self.unbounded else ""
        return (
            f"metric privacy: two words whose groups' centroids are r apart are {indistinguishability}; under the "
            f"prior ({self.prior}), for independent words{once_note}, {certainty}. Distant groups are not hidden from "
            f"each other{open_questions}"
        )

    def of_tokens(self, count: int, delta: float | None = None) -> tuple[float, float]:
        """Return epsilon and delta if `count` tokens of a text may change at once: all of them, or a repeated word.

        Exact for Gaussian noise, whose mu grows with the root of the count. Otherwise epsilon grows with the count.
        Each token after the first adds the sampler's own deviation, less than .001 in epsilon.

        Args:
            count: number of tokens; 0 costs nothing.
            delta: at which epsilon is stated, for Gaussian noise only; default: the delta of one token.

        Raises:
            InputError: if count is below 0, or delta out of range.
        """
        if count < 0:
            raise InputError(f"a number of tokens must be 0 or more, not {count!r}")
        if count == 0:
            return 0.0, 0.0
        if self.mu is None:
            return count * self.epsilon, self.delta
        delta = self.delta if delta is None else delta
        if count == 1 and delta == self.delta:
            return self.epsilon, delta
        return epsilon_of(composed_mu([self.mu] * count), delta), delta

    def units(self, count: int) -> float:
        """Return the cost of `count` tokens in units of one token's mu (Gaussian noise) or epsilon (other noise)."""
        return math.sqrt(count) if self.mu is not None else count


def exact_figure(value: float) -> str:
    """Return a figure in few digits if they are exact, otherwise in full: a guarantee is never rounded."""
    return f"{value:g}" if float(f"{value:g}") == value else repr(float(value))
