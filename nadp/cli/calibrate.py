"""The calibration: how much noise an epsilon and a delta need, and what that noise guarantees."""

from pydantic import Field

from nadp.calibration import balanced_guess, composed_mu, epsilon_of, mu_of, noise_multiplier
from nadp.cli.declared import Parameters
from nadp.cli.types import AtLeastOne, Delta, Epsilon, Positive


class Calibrate(Parameters):
    """Say how much Gaussian noise an (epsilon, delta) needs, exactly, and what it guarantees."""

    epsilon: Epsilon
    """Privacy budget; a smaller one means more noise."""
    delta: Delta
    """Probability of failure."""
    sensitivity: Positive = 1.0
    """How far apart two neighbouring vectors may be; the noise scale is in the same unit."""
    releases: list[AtLeastOne] = Field(default=[2, 10, 100])
    """How many releases, or tokens, to state the joint epsilon of."""


def calibrated(given: Calibrate) -> str:
    """Return the noise and what it guarantees, a line each."""
    multiplier = noise_multiplier(given.epsilon, given.delta)
    mu = mu_of(multiplier)
    lines = [
        f"noise scale (standard deviation): {multiplier * given.sensitivity:.6g}",
        f"noise multiplier: {multiplier:.6g} per unit of sensitivity",
        f"Gaussian differential privacy: mu {mu:.6g}",
        f"optimal distinguishing accuracy: {balanced_guess(mu):.2%}, where guessing gets 50%",
    ]
    for count in given.releases:
        joint = epsilon_of(composed_mu([mu] * count), given.delta)
        lines.append(f"{count:,} releases together: epsilon {joint:.4g} at delta {given.delta:g}")
    return "\n".join(lines)
