"""The nearest words of some words with and without noise (Table 1)."""

from nadp.experiment.curves import Curve
from nadp.experiment.manifest import Manifest, ShownWord
from nadp.report.answer import WEAK
from nadp.report.figures import Styles
from nadp.report.tables import Cell, Row, Table


def nearest_words(manifest: Manifest, styles: Styles) -> Table | None:
    """Return the nearest words of each word, at the largest epsilon that is not weak; None if there is none."""
    epsilons = sorted({found.epsilon for found in manifest.shown if found.epsilon is not None})
    if not epsilons:
        return None
    chosen = max((epsilon for epsilon in epsilons if epsilon <= WEAK), default=epsilons[0])
    at = {
        (found.curve, found.word): found for found in manifest.shown if found.epsilon == chosen or not found.curve.noisy
    }
    words = list(dict.fromkeys(word for _, word in at))
    curves = list(dict.fromkeys(curve for curve, _ in at))
    rows = [
        Row(_name(curve, styles), [_cell(at.get((curve, word))) for word in words], _key(curve, styles))
        for curve in curves
    ]
    return Table(f"epsilon {chosen:g}", [("", words)], [("", rows)])


def _name(curve: Curve, styles: Styles) -> str:
    return styles[curve].short if curve in styles else "without noise"


def _key(curve: Curve, styles: Styles) -> int | None:
    return styles[curve].key if curve in styles else None


def _cell(found: ShownWord | None) -> Cell:
    if found is None:
        return Cell("left out")
    return Cell(", ".join(found.nearest), best=found.itself)
