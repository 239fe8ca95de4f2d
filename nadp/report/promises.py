"""What each mechanism promises, what becomes of it in use, and what it does not cover."""

from collections.abc import Sequence

import numpy as np

from nadp.calibration import balanced_guess, composed_mu, epsilon_of, mu_of, noise_multiplier
from nadp.experiment.curves import Recipe
from nadp.experiment.manifest import Manifest
from nadp.report.pieces import table

LIMITS = """\
- It is about **one token replaced by a word it is joined to in the neighbour graph**. Between words that are not \
joined it promises less with every step, and across components nothing.
- Under the policy `exact` (the paper's literal reading) words alone in the graph get no noise: nothing holds for them.
- Graph, noise scales and grid are computed from the vectors. Where the embedding itself is private, the guarantee is \
conditional: it holds for somebody who knows them, and a release discloses them.
- It does not protect the texts the embedding was trained on.
- A public table of noisy vectors with their words is itself a decoder of texts that were encoded with it.
- The noise of an experiment is drawn from a seed: **research only, these vectors are not private.**"""
_RELEASES, _HOPS = (2, 10, 100), (2, 5)
_MOST_ROWS = 8


def promises(manifest: Manifest) -> str:
    """Return the promise of each curve at each epsilon."""
    heads = ["curve", "epsilon", "kind", "delta reached", "best guess of two neighbours", "promise"]
    rows = [
        [
            r.curve.label,
            f"{r.setting:g}",
            r.guarantee.kind,
            "" if r.guarantee.reached is None else f"{r.guarantee.reached:.3g}",
            _guess(r),
            r.guarantee.statement,
        ]
        for r in manifest.recipes
        if r.guarantee is not None
    ]
    return table(heads, rows)


def _guess(recipe: Recipe) -> str:
    """Return how often two neighbours are told apart at the best, where that follows from the promise."""
    if recipe.guarantee is None or recipe.guarantee.kind != "(epsilon, delta)-DP":
        return ""
    return f"at most {balanced_guess(mu_of(recipe.multiplier)):.1%}"


def in_use(epsilons: Sequence[float], delta: float) -> str:
    """Return what is left of a promise of Gaussian noise after several releases, and some steps further in the graph.

    Args:
        epsilons: of one release; eight of them are shown if there are more.
        delta: of all figures.
    """
    chosen = sorted(set(epsilons))
    if len(chosen) > _MOST_ROWS:
        chosen = [chosen[i] for i in np.linspace(0, len(chosen) - 1, _MOST_ROWS).round().astype(int)]
    heads = ["epsilon", "mu", "best guess", *(f"{k} releases" for k in _RELEASES), *(f"{k} steps" for k in _HOPS)]
    intro = (
        "What becomes of an epsilon of Gaussian noise (nadp, gaussian) at the same delta: after several releases of "
        "the same vectors, or as many occurrences of a word in a text (mu grows with the root of their number), and "
        "between words that are several edges apart in one component (mu grows with the number of edges). *Best "
        "guess*: how often two neighbours can be told apart by anyone, at the most."
    )
    return f"{intro}\n\n{table(heads, [_row(epsilon, delta) for epsilon in chosen])}"


def _row(epsilon: float, delta: float) -> list[str]:
    mu = mu_of(noise_multiplier(epsilon, delta))
    later = [composed_mu([mu] * k) for k in _RELEASES] + [k * mu for k in _HOPS]
    return [f"{epsilon:g}", f"{mu:.3f}", f"{balanced_guess(mu):.1%}", *(f"{epsilon_of(m, delta):.3g}" for m in later)]
