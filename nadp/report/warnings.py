"""What must not be overlooked about the promises of a run."""

from nadp.calibration import balanced_guess, mu_of, noise_multiplier
from nadp.experiment.curves import Recipe
from nadp.experiment.manifest import Manifest
from nadp.scores import NO_NOISE

WEAK = 10.0
"""Above this epsilon a promise is worth next to nothing."""


def warnings(manifest: Manifest) -> list[str]:
    """Return a sentence on each promise of a run that is weak, of another kind, broken or void."""
    used = [curve.made for curve in manifest.curves if curve.mechanism != NO_NOISE]
    own = [mechanism.warning for mechanism in used if mechanism.warning]
    return [warning for warning in [_weak(manifest), *_missed(manifest), *dict.fromkeys(own)] if warning]


def _weak(manifest: Manifest) -> str:
    largest = max(manifest.epsilons, default=0.0)
    if largest <= WEAK:
        return ""
    guesses = [balanced_guess(mu_of(noise_multiplier(epsilon, manifest.delta))) for epsilon in (WEAK, float(largest))]
    return (
        f"**Epsilon above {WEAK:g} promises next to nothing**: an attacker who knows that a word is one of two "
        f"neighbours may guess right in {guesses[0]:.1%} of the cases at epsilon {WEAK:g} and in {guesses[1]:.1%} at "
        f"{largest:g}."
    )


def _missed(manifest: Manifest) -> list[str]:
    """Return, for each mechanism whose calibration falls short, its worst true delta."""
    worst: dict[str, Recipe] = {}
    for recipe in manifest.recipes:
        if recipe.delta_reached > recipe.delta * (1 + 1e-9):
            name = recipe.curve.mechanism
            worst[name] = max(worst.get(name, recipe), recipe, key=lambda r: r.delta_reached)
    return [
        f"**{name} misses its delta**: at epsilon {r.setting:g} the true delta is {r.delta_reached:.3g}, not "
        f"{r.delta:.3g}."
        for name, r in worst.items()
    ]
