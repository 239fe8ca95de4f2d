"""One amount of Gaussian noise for all words, calibrated exactly or by the textbook formula."""

from typing import ClassVar

import numpy as np
import numpy.typing as npt

from nadp.calibration import classical_noise_multiplier, noise_multiplier, privacy_profile
from nadp.mechanisms.base import Guarantee, Mechanism
from nadp.space import EmbeddingSpace


class Gaussian(Mechanism):
    """N(0, (u* Delta)^2 I), Delta the longest edge of the whole graph (Theorem 2)."""

    name: ClassVar[str] = "gaussian"

    def weights(self, space: EmbeddingSpace) -> npt.NDArray[np.float64]:
        """Return Delta for each word, (n,)."""
        return np.full(len(space), space.neighbourhoods.global_sensitivity)

    def multiplier(self, epsilon: float, delta: float) -> float:
        """Return u*."""
        return noise_multiplier(epsilon, delta)

    def guarantee(self, space: EmbeddingSpace, epsilon: float, delta: float) -> Guarantee:
        """Return Theorem 2."""
        del space
        reached = privacy_profile(epsilon, self.multiplier(epsilon, delta))
        statement = f"({epsilon:g}, {delta:.3g})-DP for one word replaced by a word it is joined to in the graph."
        return Guarantee("(epsilon, delta)-DP", reached, statement)


class GaussianClassical(Gaussian):
    """Gaussian noise with sigma = Delta sqrt(2 ln(1.25/delta)) / epsilon (Theorem 1), proved for epsilon < 1 only."""

    name: ClassVar[str] = "gaussian-classical"

    def multiplier(self, epsilon: float, delta: float) -> float:
        """Return sqrt(2 ln(1.25/delta)) / epsilon."""
        return classical_noise_multiplier(epsilon, delta)

    def guarantee(self, space: EmbeddingSpace, epsilon: float, delta: float) -> Guarantee:
        """Return what the noise really reaches, which beyond epsilon 1 may be more than delta."""
        del space
        reached = privacy_profile(epsilon, self.multiplier(epsilon, delta))
        if reached <= delta:
            return Guarantee(
                "(epsilon, delta)-DP", reached, f"({epsilon:g}, {delta:.3g})-DP between words joined in the graph."
            )
        statement = (
            f"the textbook formula does NOT reach delta {delta:.3g} at epsilon {epsilon:g}: "
            f"its true delta is {reached:.3g}, {reached / delta:.3g} times as large."
        )
        return Guarantee("(epsilon, delta)-DP", reached, statement)
