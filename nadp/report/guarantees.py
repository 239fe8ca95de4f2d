"""The guarantee of each mechanism, how it composes, and what it does not cover."""

from collections.abc import Sequence

from nadp.calibration import composed_mu, distinguishing_accuracy, epsilon_of, mu_of, noise_multiplier
from nadp.experiment.curves import Curve, Recipe
from nadp.experiment.manifest import Manifest
from nadp.report.figures import Styles
from nadp.report.tables import NOTHING, Cell, Row, Table, some
from nadp.report.texts import percent

KIND = {
    "(epsilon, delta)-DP": "Differential privacy between neighbouring words, (epsilon, delta)",
    "epsilon-DP": "Differential privacy between neighbouring words, delta 0",
    "metric DP": "Metric differential privacy (epsilon in another unit)",
    "groups": "Groups of words (a bound on the attacker's certainty, not differential privacy)",
    "no guarantee": "No guarantee",
}
LIMITS = """\
It covers one token replaced by a neighbouring word. Between words several edges apart it is weaker, and between \
components there is no guarantee.
Isolated words that are released without noise have no guarantee at all.
Graph, noise scales and grid are computed from the vectors. If the embedding itself is private, the guarantee is \
conditional: it holds if they count as known, and a release discloses them.
It does not protect the texts that the embedding was trained on.
Anyone with a public table of noisy vectors can decode texts that were encoded with it.
The noise of an experiment comes from a seed. It is for research only; these vectors are not private.""".splitlines()
_RELEASES, _STEPS = (2, 10, 100), (2, 5)


def kinds(manifest: Manifest) -> dict[Curve, str]:
    """Return the kind of guarantee of each curve with noise, in words."""
    return {curve: KIND.get(curve.made.kind, curve.made.kind) for curve in manifest.noisy}


def guess_table(manifest: Manifest, styles: Styles) -> Table:
    """Return the optimal distinguishing accuracy between neighbouring words, and the true delta if it is too large."""
    cells: dict[Curve, dict[float, Cell]] = {}
    for recipe in manifest.recipes:
        mu = None if recipe.guarantee is None else recipe.guarantee.mu
        if mu is not None and recipe.epsilon is not None:
            guess = Cell(percent(distinguishing_accuracy(mu), 1), _missed(recipe))
            cells.setdefault(recipe.curve, {})[recipe.epsilon] = guess
    shown_epsilons = some({epsilon for by_epsilon in cells.values() for epsilon in by_epsilon})
    rows = [
        Row(style.short, [cells[curve].get(epsilon, NOTHING) for epsilon in shown_epsilons], style.key)
        for curve, style in styles.items()
        if curve in cells
    ]
    return Table("curve", [("epsilon", [f"{epsilon:g}" for epsilon in shown_epsilons])], [("", rows)])


def group_tables(manifest: Manifest, styles: Styles) -> list[Table]:
    """Return the largest posterior that any attacker can reach and, below it, the recovery of the best attacker.

    There is one table for each parameter of groups: least size, or largest share of a word.
    """
    cells: dict[str, dict[Curve, dict[float, Cell]]] = {}
    for recipe in manifest.recipes:
        known = recipe.guarantee
        if known is not None and known.posterior is not None and recipe.setting is not None:
            cell = Cell(percent(known.posterior), (f"finds {percent(known.success)}",))
            curves = cells.setdefault(str(recipe.curve.parameter), {})
            curves.setdefault(recipe.curve, {})[recipe.setting] = cell
    result = []
    for parameter, curves in cells.items():
        shown_settings = some({setting for by_setting in curves.values() for setting in by_setting})
        rows = [
            Row(
                styles[curve].short, [by_setting.get(setting, NOTHING) for setting in shown_settings], styles[curve].key
            )
            for curve, by_setting in curves.items()
        ]
        result.append(
            Table(
                "curve", [(parameter.replace("_", " "), [f"{setting:g}" for setting in shown_settings])], [("", rows)]
            )
        )
    return result


def _missed(recipe: Recipe) -> tuple[str, ...]:
    """Return the true delta if it exceeds the requested one."""
    missed = recipe.delta_reached > recipe.delta * (1 + 1e-9)
    return (f"true delta {recipe.delta_reached:.2g}",) if missed else ()


def statements(manifest: Manifest, styles: Styles) -> list[tuple[str, str]]:
    """Return each curve and its guarantee at its smallest setting, in words."""
    first: dict[Curve, tuple[float, str]] = {}
    for recipe in manifest.recipes:
        if recipe.guarantee is not None and recipe.setting is not None:
            guaranteed = recipe.setting, recipe.guarantee.statement
            first[recipe.curve] = min(guaranteed, first.get(recipe.curve, guaranteed))
    return [
        (styles[curve].name, f"at {curve.parameter} {setting:g}: {statement}.")
        for curve, (setting, statement) in first.items()
        if curve in styles
    ]


def in_use(epsilons: Sequence[float], delta: float) -> Table:
    """Return how a guarantee of Gaussian noise composes: over several releases, and over several edges of the graph.

    Args:
        epsilons: epsilons of one release; at most eight of them are shown.
        delta: delta of all epsilons in the table.
    """
    heads = [
        ("one release", ["mu", "distinguishing accuracy"]),
        ("epsilon of several releases", [f"{k}" for k in _RELEASES]),
        ("epsilon between words some steps apart", [f"{k}" for k in _STEPS]),
    ]
    return Table("epsilon", heads, [("", [_in_use(epsilon, delta) for epsilon in some(set(epsilons))])])


def _in_use(epsilon: float, delta: float) -> Row:
    mu = mu_of(noise_multiplier(epsilon, delta))
    joint_mus = [composed_mu([mu] * k) for k in _RELEASES] + [k * mu for k in _STEPS]
    cells = [f"{mu:.3f}", percent(distinguishing_accuracy(mu), 1), *(f"{epsilon_of(m, delta):.3g}" for m in joint_mus)]
    return Row(f"{epsilon:g}", [Cell(cell) for cell in cells])
