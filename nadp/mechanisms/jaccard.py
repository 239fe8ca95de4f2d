"""The paper's Jaccard baseline: one noise scale for dense regions, another for sparse ones."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from nadp.calibration import classical_noise_multiplier
from nadp.mechanisms.base import Additive
from nadp.mechanisms.gaussian import Gaussian
from nadp.mechanisms.guarantee import Guarantee, Kind
from nadp.space import EmbeddingSpace

_DENSE, _SPARSE = 1.835, 1.276
_WARNING = "The Jaccard mechanism has no guarantee: its published proof fails."


@dataclass(frozen=True)
class Jaccard(Additive):
    """Gaussian noise with sigma_i = Delta alpha_i sqrt(2 ln(1.25/delta)) / epsilon (Theorem 4, whose proof fails).

    alpha is 1.835 for words in dense regions and 1.276 in sparse ones. The density threshold is the median, so the two
    halves have equal size (the paper's threshold of 6.0 fits its own vectors only).
    """

    name: ClassVar[str] = "jaccard"
    label: ClassVar[str] = "Jaccard"
    colour: ClassVar[str] = "#8C6D31"
    kind: ClassVar[Kind] = "no guarantee"
    warning: ClassVar[str | None] = _WARNING

    def weights(self, space: EmbeddingSpace) -> npt.NDArray[np.float64]:
        """Return Delta alpha_i of each word, (n,)."""
        dense = space.density < np.median(space.density)
        return space.neighbourhoods.global_sensitivity * np.where(dense, _DENSE, _SPARSE)

    def multiplier(self, epsilon: float, delta: float) -> float:
        """Return sqrt(2 ln(1.25/delta)) / epsilon."""
        return classical_noise_multiplier(epsilon, delta)

    def guarantee(self, space: EmbeddingSpace, epsilon: float, delta: float) -> Guarantee:
        """Return that there is no guarantee."""
        del space
        reason = (
            "the published proof overlooks neighbours on both sides of the density threshold, "
            "whose different noise scales distinguish them"
        )
        return Guarantee(str(self), self.kind, epsilon, delta, reason=reason)


@dataclass(frozen=True)
class JaccardReference(Gaussian):
    """The Jaccard mechanism of the authors' code, whose formula cancels to the plain Gaussian mechanism."""

    name: ClassVar[str] = "jaccard-reference"
    label: ClassVar[str] = "Jaccard, authors' code"
    colour: ClassVar[str] = "#555555"
    publishable: ClassVar[bool] = False
    encodable: ClassVar[bool] = False
    warning: ClassVar[str | None] = _WARNING
