"""The figures of an experiment, drawn from scores.csv alone."""

from collections.abc import Mapping, Sequence

import numpy as np

from nadp.attacks.overlap_sweep import OverlapAt
from nadp.experiment.choosing import INTERVAL, TaskResult
from nadp.experiment.comparison import LEVELS, Comparison
from nadp.experiment.curves import Curve
from nadp.experiment.facts import GraphFacts
from nadp.experiment.means import Means, Points
from nadp.experiment.metrics import TaskMetric
from nadp.report.axes import Axis, linear, settings, shares
from nadp.report.labels import POLICY, title, unit
from nadp.report.styles import Style
from nadp.report.svg import Line, Mark, Panel
from nadp.report.texts import number, percent

Styles = Mapping[Curve, Style]
IDENTIFIED = "words identified by the strongest attack"
_SPREAD = 0.8  # share of a level's width that its curves use
_SIZES = ((1, 1), (2, 2), (3, 5), (6, 10), (11, 100), (101, 10**9))


def kept_panel(result: TaskResult, levels: Sequence[float], styles: Styles) -> Panel:
    """Return a panel of a task's utility at equal recovery, with intervals, by curve."""
    lines = []
    for curve, style in styles.items():
        marks = []
        for n, level in enumerate(levels):
            left = result.kept(level).get(curve)
            if left is not None and left.reaches(level):
                text = f"{style.short}: {number(left.utility)} ({number(left.low)} to {number(left.high)})"
                text += f" at {percent(level)}, {curve.parameter} {left.setting:.3g}"
                marks.append(Mark(n + _offset_in_level(style.key, len(styles)), left.utility, 0.0, left.error, text))
        lines.append(Line(style, marks, joined=False))
    return _panel(result, _levels(levels), lines)


def recovery() -> Axis:
    """Return the axis of measured recovery, on which all mechanisms are comparable."""
    return shares(f"% of the {IDENTIFIED}")


def disclosure() -> Axis:
    """Return the axis of disclosure."""
    return linear([], "disclosed: R\N{SUPERSCRIPT TWO} of the best reconstruction", to=(0.0, 1.0))


def axis_panel(result: TaskResult, axis: Axis, styles: Styles) -> Panel:
    """Return a panel of utility against a measured axis: recovery or disclosure."""
    lines = []
    for curve, points in _ordered(result, styles):
        name = f"{styles[curve].short}, {curve.parameter}"
        marks = [
            Mark(
                *(recovery, utility, INTERVAL * moved, INTERVAL * error),
                f"{name} {setting:g}: {number(utility)} at {percent(recovery)}",
            )
            for setting, recovery, utility, error, moved in points.tolist()
        ]
        lines.append(Line(styles[curve], marks))
    return _panel(result, axis, lines)


def by_parameter(styles: Styles) -> dict[str, Styles]:
    """Return the curves whose settings are values of one parameter, such as "epsilon", by the parameter."""
    names = dict.fromkeys(str(curve.parameter) for curve in styles)
    return {name: {curve: style for curve, style in styles.items() if curve.parameter == name} for name in names}


def setting_panel(result: TaskResult, styles: Styles) -> Panel:
    """Return utility against the settings of curves of one parameter (Figure 2, a to d)."""
    lines = []
    for curve, points in _ordered(result, styles):
        name, ordered = f"{styles[curve].short}, {curve.parameter}", sorted(points.tolist())
        marks = [
            Mark(setting, utility, 0.0, INTERVAL * error, f"{name} {setting:g}: {number(utility)}")
            for setting, _, utility, error, _ in ordered
        ]
        lines.append(Line(styles[curve], marks))
    return _panel(result, _settings(lines, styles), lines)


def privacy_panel(means: Means, metric: TaskMetric, heading: str, styles: Styles, *, share: bool) -> Panel:
    """Return a panel of a privacy metric against the settings of curves (Figure 3); shares have an axis from 0 to 1."""
    form = percent if share else number
    lines = []
    for curve, points in noisy(means, metric, styles):
        name = f"{styles[curve].short}, {curve.parameter}"
        marks = [
            Mark(setting, mean, 0.0, INTERVAL * float(np.nan_to_num(error)), f"{name} {setting:g}: {form(mean)}")
            for setting, mean, error, _ in points.tolist()
        ]
        lines.append(Line(styles[curve], marks))
    y = linear([], to=(0.0, 1.0)) if share else linear(_ends(lines))
    return Panel(heading, unit(metric), _settings(lines, styles), y, lines, alt=_alt(lines))


def noisy(means: Means, metric: TaskMetric, styles: Styles) -> list[tuple[Curve, Points]]:
    """Return the means of a metric under each curve with noise, in the order of their styles."""
    points_by_curve = means.of(metric)
    return [(curve, points_by_curve[curve]) for curve in styles if curve in points_by_curve]


def difference_panel(comparison: Comparison, task: TaskMetric, styles: Styles) -> Panel:
    """Return a panel of the base minus each other curve, at equal recovery, with simultaneous intervals."""
    differences = [d for d in comparison.differences if d.task == task]
    lines = []
    for other in dict.fromkeys(d.other for d in differences):
        style = styles[other]
        marks = [
            Mark(
                *(LEVELS.index(d.recovery) + _offset_in_level(style.key, len(styles)), d.value, 0.0, d.high - d.value),
                f"less {style.short}: {d.value:+.3f} ({d.low:+.3f} to {d.high:+.3f}) at {percent(d.recovery)}",
            )
            for d in differences
            if d.other == other
        ]
        lines.append(Line(style, marks, joined=False))
    y = linear([*_ends(lines), 0.0])
    return Panel(title(task), "difference", _levels(LEVELS), y, lines, ((0.0, ""),), alt=_alt(lines))


def histogram_panel(overlap: OverlapAt) -> Panel:
    """Return the histogram of the overlap under Gaussian noise of one sigma (appendix B)."""
    caption = f"skewness {number(overlap.skewness, 2)}, recovery {percent(overlap.recovery)}"
    x = Axis(0, 1, ((0, "0"), (1, "1")), "overlap")
    alt = f"{caption}; {max(overlap.counts):,} words in the fullest of {len(overlap.counts)} bars"
    y = linear(overlap.counts, to=(0.0,))
    return Panel(f"sigma {overlap.sigma:g}", caption, x, y, bars=overlap.counts, alt=alt, width=210, height=170)


def sizes_panel(graph: GraphFacts) -> Panel:
    """Return a histogram of distinct vectors by the size of their component."""
    names = ["1", "2", "3\N{EN DASH}5", "6\N{EN DASH}10", "11\N{EN DASH}100", "> 100"]
    sizes = {int(size): number for size, number in graph.sizes.items()}
    totals = [sum(size * number for size, number in sizes.items() if a <= size <= b) for a, b in _SIZES]
    x = Axis(0, len(names), tuple((i + 0.5, name) for i, name in enumerate(names)), "vectors in a component")
    alt = "; ".join(f"size {name}: {total:,}" for name, total in zip(names, totals, strict=True))
    heading = f"Tau {graph.tau:g}, {POLICY[graph.isolated]}"
    return Panel(heading, "distinct vectors", x, linear(totals, to=(0.0,)), bars=totals, alt=alt)


def _ordered(result: TaskResult, styles: Styles) -> list[tuple[Curve, Points]]:
    """Return the points of each curve, in the order of their styles."""
    return [(curve, result.points[curve]) for curve in styles if curve in result.points]


def _panel(result: TaskResult, x: Axis, lines: Sequence[Line]) -> Panel:
    """Return a panel of a task, with its scores without noise and of random vectors."""
    rules = [(v, s) for v, s in ((result.clean, "without noise"), (result.floor, "random vectors")) if np.isfinite(v)]
    y = linear([*_ends(lines), *(value for value, _ in rules)])
    return Panel(title(result.task), unit(result.task), x, y, lines, rules, alt=_alt(lines))


def _ends(lines: Sequence[Line]) -> list[float]:
    """Return the ends of all error bars."""
    return [mark.y + sign * mark.y_error for line in lines for mark in line.marks for sign in (-1, 1)]


def _settings(lines: Sequence[Line], styles: Styles) -> Axis:
    name = next((str(curve.parameter) for curve in styles), "")
    label = f"{name} (smaller: more noise)" if name == "epsilon" else name.replace("_", " ")
    return settings([mark.x for line in lines for mark in line.marks], label)


def _levels(levels: Sequence[float]) -> Axis:
    return Axis(0, len(levels), tuple((n + 0.5, percent(level)) for n, level in enumerate(levels)), IDENTIFIED)


def _offset_in_level(key: int, curves: int) -> float:
    """Return the position of a curve within the width of a level."""
    return 0.5 + _SPREAD * ((key + 0.5) / curves - 0.5)


def _alt(lines: Sequence[Line]) -> str:
    """Return the alt text: the first and last point of each curve."""
    return "; ".join(dict.fromkeys(line.marks[end].text for line in lines if line.marks for end in (0, -1)))
