"""The nearest words of some words with and without noise (Table 1)."""

from nadp.experiment.curves import Curve
from nadp.experiment.manifest import Manifest, ShownWord
from nadp.report.answer import WEAK
from nadp.report.figures import Styles
from nadp.report.tables import Cell, Row, Table


def nearest_words(manifest: Manifest, styles: Styles) -> Table | None:
    """Return the nearest words of each word at one setting of each curve; None if there is none.

    The setting is the largest epsilon that is not weak, or the middle value of another parameter.
    """
    if not manifest.shown:
        return None
    run: dict[Curve, set[float]] = {}
    for shown in manifest.shown:
        run.setdefault(shown.curve, set()).update([] if shown.setting is None else [shown.setting])
    setting_of_curve = {curve: _chosen(curve, sorted(settings)) for curve, settings in run.items()}
    shown_at = {
        (shown.curve, shown.word): shown for shown in manifest.shown if shown.setting == setting_of_curve[shown.curve]
    }
    words = list(dict.fromkeys(word for _, word in shown_at))
    rows = [
        Row(_name(curve, setting, styles), [_cell(shown_at.get((curve, word))) for word in words], _key(curve, styles))
        for curve, setting in setting_of_curve.items()
    ]
    return Table("", [("", words)], [("", rows)])


def _chosen(curve: Curve, settings: list[float]) -> float | None:
    if not settings:
        return None
    if curve.parameter == "epsilon":
        return max((setting for setting in settings if setting <= WEAK), default=settings[0])
    return settings[len(settings) // 2]


def _name(curve: Curve, setting: float | None, styles: Styles) -> str:
    return "without noise" if setting is None else f"{styles[curve].short}, {curve.parameter} {setting:g}"


def _key(curve: Curve, styles: Styles) -> int | None:
    return styles[curve].key if curve in styles else None


def _cell(shown: ShownWord | None) -> Cell:
    if shown is None:
        return Cell("left out")
    return Cell(", ".join(shown.nearest), best=shown.itself)
