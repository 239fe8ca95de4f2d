"""Panels of figures as SVG: curves with error bars, or bars, drawn from templates.

A panel has classes instead of colours. The stylesheet of a page has a light and a dark theme; a file for a paper has
its own stylesheet.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from nadp.report.axes import Axis
from nadp.report.page import Markup, rendered
from nadp.report.styles import Style

WIDTH, HEIGHT = 300, 232
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 12, 44, 36
_PER_LINE = 2  # entries of a legend
_LEGEND = 18  # height of a line
_CLOSE = 14  # distance of two rules at which their labels would collide
_MOST_MARKS = 13  # marks of a line; the other points lie only on its path


@dataclass(frozen=True)
class Mark:
    """A point: its position, its error, and its text."""

    x: float
    y: float
    x_error: float = 0.0
    y_error: float = 0.0
    text: str = ""


@dataclass(frozen=True)
class Line:
    """The points of a curve, joined by default."""

    style: Style
    marks: Sequence[Mark]
    joined: bool = True


@dataclass(frozen=True)
class Panel:
    """One small figure.

    Attributes:
        title: title of the panel.
        unit: unit of the vertical axis.
        x: the horizontal axis.
        y: the vertical axis.
        lines: the curves.
        rules: heights with labels, such as the score without noise.
        bars: heights of bars that share the width.
        alt: alternative text.
    """

    title: str
    unit: str
    x: Axis
    y: Axis
    lines: Sequence[Line] = ()
    rules: Sequence[tuple[float, str]] = ()
    bars: Sequence[float] = ()
    alt: str = ""
    width: int = field(default=WIDTH)
    height: int = field(default=HEIGHT)

    def across(self, value: float) -> float:
        """Return the position of a value on the horizontal axis, in pixels."""
        return round(_LEFT + self.x.at(value) * (self.width - _LEFT - _RIGHT), 1)

    def up(self, value: float) -> float:
        """Return the position of a value on the vertical axis, in pixels from the top."""
        return round(self.height - _BOTTOM - self.y.at(value) * (self.height - _TOP - _BOTTOM), 1)


def drawn(panel: Panel) -> Markup:
    """Return a panel as an element of a page."""
    return Markup(rendered("panel.svg.j2", **_places(panel)))


def sheet(panels: Sequence[Panel], legend: Sequence[Style], columns: int = 2) -> str:
    """Return some panels and their legend as a separate file, on white.

    Args:
        panels: panels of one figure.
        legend: legend of the curves in them.
        columns: number of panels per row.
    """
    width, height = panels[0].width * columns, panels[0].height
    lines = -(-len(panels) // columns)
    per_line = min(columns, _PER_LINE)  # names of curves are nearly as wide as a panel
    entries = [
        (style, 12 + (i % per_line) * width / per_line, lines * height + _LEGEND * (1 + i // per_line))
        for i, style in enumerate(legend)
    ]
    total = lines * height + (_LEGEND * (1 + -(-len(legend) // per_line)) if legend else 0)
    placed = [(drawn(p), (i % columns) * p.width, (i // columns) * height) for i, p in enumerate(panels)]
    return rendered("sheet.svg.j2", panels=placed, entries=entries, width=width, height=total)


def _places(panel: Panel) -> dict[str, Any]:
    """Return the values for a panel's template, in pixels."""
    bottom, right = panel.height - _BOTTOM, panel.width - _RIGHT
    bar_edges = [_LEFT + (right - _LEFT) * i / max(1, len(panel.bars)) for i in range(len(panel.bars) + 1)]
    return {
        "panel": panel,
        "left": _LEFT,
        "right": right,
        "top": _TOP,
        "bottom": bottom,
        "columns": [(panel.across(value), text) for value, text in panel.x.ticks],
        "rows": [(panel.up(value), text) for value, text in panel.y.ticks],
        "rules": _rules(panel),
        "bars": [
            (a, panel.up(v), b - a, bottom - panel.up(v))
            for (a, b), v in zip(pairwise(bar_edges), panel.bars, strict=True)
        ],
        "lines": [_line(panel, line) for line in panel.lines],
    }


def _rules(panel: Panel) -> list[tuple[float, float, str]]:
    """Return the height of each rule, the height of its label, and the label.

    A label is below its rule if another rule is just above.
    """
    heights = [panel.up(value) for value, _ in panel.rules]
    rules = []
    for i, (y, (_, text)) in enumerate(zip(heights, panel.rules, strict=True)):
        above = [
            height for height in (*heights[:i], *(h for h in heights[i + 1 :] if h != y)) if 0 <= y - height < _CLOSE
        ]
        rules.append((y, y + 10 if above else y - 3, text))
    return rules


def _line(panel: Panel, line: Line) -> dict[str, Any]:
    points = [_point(panel, mark) for mark in line.marks]
    path = "M" + "L".join(f"{p['x']} {p['y']}" for p in points) if line.joined and len(points) > 1 else ""
    stride = -(-len(points) // _MOST_MARKS)
    return {"style": line.style, "path": path, "points": points[::-stride][::-1] if stride > 1 else points}


def _point(panel: Panel, mark: Mark) -> dict[str, Any]:
    x_ends = [panel.across(mark.x + sign * mark.x_error) for sign in (-1, 1)] if mark.x_error else []
    y_ends = [panel.up(mark.y + sign * mark.y_error) for sign in (-1, 1)] if mark.y_error else []
    return {"x": panel.across(mark.x), "y": panel.up(mark.y), "across": x_ends, "up": y_ends, "text": mark.text}
