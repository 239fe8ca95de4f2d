"""What is promised for a token, and for a whole text."""

import math
from dataclasses import dataclass
from typing import Literal

from nadp.calibration import composed_mu, epsilon_of, mu_of, noise_multiplier
from nadp.errors import InputError
from nadp.mechanisms.base import Kind

Over = Literal["spread", "refuse"]
_LARGEST_FACTOR = 1e9
_ROUNDING = 1e-15  # of the divisions here: 3 tokens of .1 keep a budget of .3


@dataclass(frozen=True)
class TextBudget:
    """The most that all tokens of a text together may cost.

    Attributes:
        epsilon: of the text, if every token of it may change; for metric DP per unit of distance.
        delta: of the text; None for that of a token.
        over: what becomes of a text that would cost more: "spread" gives its tokens just so much more noise that they
            keep the budget together, "refuse" is an error.
    """

    epsilon: float
    delta: float | None = None
    over: Over = "spread"

    def __post_init__(self) -> None:
        if not (0 < self.epsilon < math.inf):
            raise InputError(f"the budget of a text must be above 0 and finite, not {self.epsilon!r}")
        if self.over not in ("spread", "refuse"):
            raise InputError(f"over must be spread or refuse, not {self.over!r}")


@dataclass(frozen=True)
class Promise:
    """What is promised when one token of a text is replaced.

    Attributes:
        kind: the notion of privacy.
        epsilon: of one token; for metric DP per unit of distance.
        delta: of one token; 0 for Laplace noise.
        mu: of one token by Gaussian differential privacy; None where the noise is not Gaussian.
        statement: the promise in words.
    """

    kind: Kind
    epsilon: float
    delta: float
    mu: float | None
    statement: str

    def of_tokens(self, count: int, delta: float | None = None) -> tuple[float, float]:
        """Return epsilon and delta if `count` tokens of a text may change at once: all of them, or a repeated word.

        Exact for Gaussian noise: mu grows with the root of the count. Otherwise epsilon grows with the count. For each
        token after the first the sampler's own deviation, less than a thousandth in epsilon, comes on top.

        Args:
            count: number of tokens; 0 costs nothing.
            delta: at which epsilon is given, Gaussian noise only; default that of one token.

        Raises:
            InputError: if count is below 0, or delta out of range.
        """
        if count < 0:
            raise InputError(f"a number of tokens is 0 or more, not {count!r}")
        if count == 0:
            return 0.0, 0.0
        if self.mu is None:
            return count * self.epsilon, self.delta
        delta = self.delta if delta is None else delta
        if count == 1 and delta == self.delta:
            return self.epsilon, delta
        return epsilon_of(composed_mu([self.mu] * count), delta), delta

    def tokens_within(self, budget: TextBudget) -> int:
        """Return how many tokens a text may have so that all together keep a budget; 0 if one is too many already."""
        most = self._most(budget)
        count = int(most**2 if self.mu is not None else most)
        return count + 1 if self.factor(count + 1, budget) == 1 else count  # the division may have lost one

    def factor(self, count: int, budget: TextBudget) -> float:
        """Return how much larger the noise of each of `count` tokens must be to keep a budget, at least 1."""
        needed = (math.sqrt(count) if self.mu is not None else count) / self._most(budget)
        if needed > _LARGEST_FACTOR:
            raise InputError(
                f"a budget of {budget.epsilon:g} for {count} tokens asks for {needed:.3g} times the noise of epsilon "
                f"{self.epsilon:g}: choose a smaller epsilon"
            )
        return needed if needed > 1 + _ROUNDING else 1.0

    def _most(self, budget: TextBudget) -> float:
        """Return mu, or epsilon, of the budget in units of that of one token."""
        if self.mu is None:
            return budget.epsilon / self.epsilon
        delta = self.delta if budget.delta is None else budget.delta
        return mu_of(noise_multiplier(budget.epsilon, delta)) / self.mu
