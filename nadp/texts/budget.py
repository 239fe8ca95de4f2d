"""The privacy budget of a whole text, and the noise that its tokens need to keep it."""

import math
from dataclasses import dataclass
from typing import Literal

from nadp.calibration import mu_of, noise_multiplier
from nadp.errors import InputError
from nadp.mechanisms import Guarantee

Over = Literal["spread", "refuse"]
_LARGEST_FACTOR = 1e9
_ROUNDING = 1e-15  # tolerance of the divisions here: 3 tokens of .1 keep a budget of .3


@dataclass(frozen=True)
class TextBudget:
    """The privacy budget of all tokens of a text together.

    Attributes:
        epsilon: epsilon of the text if all its tokens may change; for metric DP, per unit of distance.
        delta: delta of the text; None for the delta of one token.
        over: treatment of a text that would exceed the budget: "spread" gives its tokens just enough additional noise
            to keep the budget; "refuse" raises an error.
    """

    epsilon: float
    delta: float | None = None
    over: Over = "spread"

    def __post_init__(self) -> None:
        if not (0 < self.epsilon < math.inf):
            raise InputError(f"the budget of a text must be above 0 and finite, not {self.epsilon!r}")
        if self.over not in ("spread", "refuse"):
            raise InputError(f"over must be spread or refuse, not {self.over!r}")

    def tokens_within(self, guarantee: Guarantee) -> int:
        """Return the largest number of tokens that together keep the budget; 0 if one token exceeds it.

        Args:
            guarantee: the guarantee of one token.
        """
        allowance = self._allowance(guarantee)
        count = int(allowance**2 if guarantee.mu is not None else allowance)
        return count + 1 if self.factor(guarantee, count + 1) == 1 else count  # rounding may lose one

    def factor(self, guarantee: Guarantee, count: int) -> float:
        """Return the factor by which the noise of each of `count` tokens must grow to keep the budget, at least 1.

        Args:
            guarantee: the guarantee of one token.
            count: number of tokens.
        """
        needed = guarantee.units(count) / self._allowance(guarantee)
        if needed > _LARGEST_FACTOR:
            raise InputError(
                f"a budget of {self.epsilon:g} for {count} tokens needs {needed:.3g} times the noise of epsilon "
                f"{guarantee.epsilon:g}: choose a smaller epsilon"
            )
        return needed if needed > 1 + _ROUNDING else 1.0

    def _allowance(self, guarantee: Guarantee) -> float:
        """Return the budget's mu (or epsilon), divided by the mu (or epsilon) of one token."""
        if guarantee.mu is None:
            return self.epsilon / guarantee.epsilon
        delta = guarantee.delta if self.delta is None else self.delta
        return mu_of(noise_multiplier(self.epsilon, delta)) / guarantee.mu
