"""The paper's baseline with two amounts of noise, for dense and for sparse regions."""

from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt

from nadp.calibration import classical_noise_multiplier, noise_multiplier
from nadp.errors import InputError
from nadp.mechanisms.base import Guarantee, Mechanism
from nadp.space import EmbeddingSpace

_DENSE, _SPARSE = 1.835, 1.276


class Jaccard(Mechanism):
    """Gaussian noise with sigma_i = Delta alpha_i sqrt(2 ln(1.25/delta)) / epsilon (Theorem 4, whose proof fails).

    alpha is 1.835 for words in dense regions and 1.276 in sparse ones; the density threshold is the median, so that
    the two halves are equal (the paper's threshold 6.0 fits its own vectors only). In the authors' code the formula
    cancels to the plain Gaussian mechanism: form="reference" is that identity.

    Args:
        form: "paper" or "reference".
    """

    name: ClassVar[str] = "jaccard"

    def __init__(self, form: Literal["paper", "reference"] = "paper") -> None:
        if form not in ("paper", "reference"):
            raise InputError(f"form must be 'paper' or 'reference', not {form!r}")
        self.form = form

    def weights(self, space: EmbeddingSpace) -> npt.NDArray[np.float64]:
        """Return Delta alpha_i of each word, (n,)."""
        longest = space.neighbourhoods.global_sensitivity
        if self.form == "reference":
            return np.full(len(space), longest)
        return longest * np.where(space.density < np.median(space.density), _DENSE, _SPARSE)

    def multiplier(self, epsilon: float, delta: float) -> float:
        """Return sqrt(2 ln(1.25/delta)) / epsilon, or u* in the reference form."""
        return noise_multiplier(epsilon, delta) if self.form == "reference" else classical_noise_multiplier(epsilon, delta)

    def guarantee(self, space: EmbeddingSpace, epsilon: float, delta: float) -> Guarantee:
        """Return that there is none."""
        del space, epsilon, delta
        return Guarantee(
            "no guarantee",
            None,
            "no guarantee: the published proof overlooks neighbours on both sides of the density threshold, "
            "whose different amounts of noise tell them apart.",
        )
