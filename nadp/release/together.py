"""Noise left over after earlier releases: the average of several releases has less noise than each of them."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nadp.calibration import composed_mu, epsilon_of, mu_of, noise_multiplier
from nadp.mechanisms.preconditions import WEAK, WEAK_DELTA, Measure
from nadp.release.gate import Limits
from nadp.release.ledger import Entry

_HELP = (
    "choose a smaller epsilon, publish no more of the series, or accept weak privacy explicitly (accept_weak_privacy)"
)


@dataclass(frozen=True)
class Earlier:
    """The earlier releases of a series.

    Attributes:
        proportional: mu of releases whose noise is proportional, word by word, to the new release's noise.
        others: mu of all other releases.
        least_noise: the smallest standard deviation of any word's noise in each of the others, if known.
    """

    proportional: tuple[float, ...] = ()
    others: tuple[float, ...] = ()
    least_noise: tuple[float, ...] = ()

    @classmethod
    def of(cls, entries: Iterable[Entry], new: Entry) -> "Earlier":
        """Return the earlier releases in a ledger, sorted by whether their noise is sized like the new one's."""
        earlier = list(entries)
        proportional = [entry for entry in earlier if _is_proportional(entry, new)]
        others = [entry for entry in earlier if not _is_proportional(entry, new)]
        known = tuple(entry.least_noise for entry in others if entry.least_noise)
        return cls(tuple(entry.mu for entry in proportional), tuple(entry.mu for entry in others), known)

    @property
    def mus(self) -> list[float]:
        """The mu of each earlier release."""
        return [*self.proportional, *self.others]

    def scale(self, sensitivity: npt.NDArray[np.float64], multiplier: float) -> npt.NDArray[np.float64]:
        """Return the standard deviation of each word's noise (k,) in the average of these and a new release.

        The average weights each release by its precision; no other estimate has less noise. The result is exact for
        releases whose noise was sized alike, since mu is the sensitivity divided by the standard deviation. For the
        others it is a conservative bound, since none of their words had less than the least noise.

        Args:
            sensitivity: (k,) sensitivity of each word.
            multiplier: noise of the new release per unit of sensitivity.
        """
        relative = multiplier**-2 + sum(mu * mu for mu in self.proportional)
        bound = sum(noise**-2 for noise in self.least_noise)
        with np.errstate(divide="ignore"):  # unreleased words have no noise
            scales: npt.NDArray[np.float64] = (relative / sensitivity**2 + bound) ** -0.5
        return scales

    @property
    def would_help(self) -> str:
        """The remedy if all releases together reveal too much."""
        help_ = "choose a smaller epsilon, or another policy for isolated words"
        if not self.others:
            return help_
        return (
            f"{help_}; {len(self.others)} earlier releases were calibrated to another graph or constant, so their "
            "least noise counts for every word: a series with one public graph or constant is counted exactly "
            "(neighbourhoods_from, sensitivity, clip)"
        )

    def measures(self, mu: float, limits: Limits) -> list[Measure]:
        """Return measures of whether all releases together still protect well, or weak privacy was accepted.

        Args:
            mu: mu of the new release.
            limits: limits of the gate.
        """
        if not self.mus:
            return []
        joint_mu, weak_accepted = composed_mu([*self.mus, mu]), limits.accept_weak_privacy
        is_strong = joint_mu <= mu_of(noise_multiplier(WEAK, WEAK_DELTA))
        unknown, name = len(self.others) - len(self.least_noise), f"epsilon of all releases at delta {WEAK_DELTA:g}"
        max_epsilon, epsilon = np.inf if weak_accepted else WEAK, epsilon_of(joint_mu, WEAK_DELTA)
        unknown_label = "the number of earlier releases whose noise the ledger does not record"
        return [
            Measure("epsilon_together", name, epsilon, max_epsilon, is_strong or weak_accepted, _HELP),
            Measure("releases_of_unknown_noise", unknown_label, unknown, 0, unknown == 0 or weak_accepted, _HELP),
        ]


def _is_proportional(entry: Entry, new: Entry) -> bool:
    """Return whether two releases have proportional noise, word by word; older ledgers hold no fingerprint."""
    if entry.sizing:
        return entry.sizing == new.sizing
    return (entry.graph, entry.mechanism, entry.identity) == (new.graph, new.mechanism, new.identity)
