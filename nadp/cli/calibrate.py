"""Calibration: the noise that an epsilon and a delta need, and its guarantee."""

import math

from pydantic import Field

from nadp.cli.declared import Parameters
from nadp.cli.types import AtLeastOne, Delta, Epsilon, Positive


class Calibrate(Parameters):
    """State the exact noise scale of the Gaussian mechanism for an epsilon and a delta, and what it guarantees."""

    epsilon: Epsilon
    """Privacy budget; a smaller epsilon means more noise."""
    delta: Delta
    """Probability of failure."""
    sensitivity: Positive = 1.0
    """Largest distance between two neighbouring vectors; the noise scale has the same unit."""
    releases: list[AtLeastOne] = Field(default=[2, 10, 100])
    """Numbers of releases, or tokens, for which the joint epsilon is stated."""


def calibrated(parameters: Calibrate) -> str:
    """Return the noise and its guarantee, line by line."""
    from nadp.calibration import (  # noqa: PLC0415 - slow to import
        distinguishing_accuracy,
        epsilon_of,
        mu_of,
        noise_multiplier,
    )

    multiplier = noise_multiplier(parameters.epsilon, parameters.delta)
    mu = mu_of(multiplier)
    lines = [
        f"noise scale (standard deviation): {multiplier * parameters.sensitivity:.6g}",
        f"noise multiplier: {multiplier:.6g} per unit of sensitivity",
        f"Gaussian differential privacy: mu {mu:.6g}",
        f"optimal distinguishing accuracy: {distinguishing_accuracy(mu):.2%}, where chance is 50%",
    ]
    for count in parameters.releases:
        joint = epsilon_of(mu * math.sqrt(count), parameters.delta)
        lines.append(f"{count:,} releases together: epsilon {joint:.4g} at delta {parameters.delta:g}")
    return "\n".join(lines)
