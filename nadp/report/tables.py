"""Wide tables: a row for each curve, its settings as columns."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from nadp.experiment.choosing import Left, TaskResult
from nadp.experiment.curves import Curve
from nadp.experiment.means import Means
from nadp.experiment.metrics import TaskMetric
from nadp.report.figures import Styles, noisy
from nadp.report.labels import title
from nadp.report.texts import ABSENT, number, percent

MOST_COLUMNS = 8


@dataclass(frozen=True)
class Cell:
    """A figure in a table.

    Attributes:
        text: the figure.
        small: lines below it.
        best: whether it is marked.
        hint: shown on hover.
    """

    text: str
    small: tuple[str, ...] = ()
    best: bool = False
    hint: str = ""


NOTHING = Cell(ABSENT)


@dataclass(frozen=True)
class Row:
    """A row of a table: its name, the number of its curve for the mark, and its cells."""

    name: str
    cells: Sequence[Cell]
    key: int | None = None


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes:
        first: the head of the first column.
        heads: groups of columns: a head, and the heads of its columns.
        groups: groups of rows: a head ("" for none), and its rows.
        caption: caption of the table.
    """

    first: str
    heads: Sequence[tuple[str, Sequence[str]]]
    groups: Sequence[tuple[str, Sequence[Row]]]
    caption: str = ""

    @property
    def columns(self) -> int:
        """Number of columns besides the first."""
        return sum(len(columns) for _, columns in self.heads)


def grouped(rows: Mapping[Curve, Row], kinds: Mapping[Curve, str]) -> list[tuple[str, list[Row]]]:
    """Return rows grouped by the kind of guarantee of their curves, in order of first appearance."""
    heads = dict.fromkeys(kinds[curve] for curve in rows)
    return [(head, [row for curve, row in rows.items() if kinds[curve] == head]) for head in heads]


def kept_table(
    results: Sequence[TaskResult], levels: Sequence[float], styles: Styles, kinds: Mapping[Curve, str]
) -> Table:
    """Return the utility of each curve on each task at equal recovery.

    In each column, the best figure is marked, and so are figures that do not differ from it significantly.
    """
    columns = [_marked(_kept_column(result, level, styles)) for result in results for level in levels]
    rows = {
        curve: Row(style.short, [column[curve] for column in columns], style.key)
        for curve, style in styles.items()
        if any(curve in result.points for result in results)
    }
    heads = [(title(result.task), [percent(level) for level in levels]) for result in results]
    return Table("words identified", heads, grouped(rows, kinds))


def task_table(result: TaskResult, levels: Sequence[float], styles: Styles) -> Table:
    """Return the utility of each curve on one task, and the setting that reaches it."""
    columns = [_marked(_kept_column(result, level, styles, with_setting=True)) for level in levels]
    rows = [
        Row(styles[c].short, [column[c] for column in columns], styles[c].key) for c in styles if c in result.points
    ]
    return Table("words identified", [("", [percent(level) for level in levels])], [("", rows)])


Column = dict[Curve, tuple[Cell, Left | None]]


def _kept_column(result: TaskResult, level: float, styles: Styles, *, with_setting: bool = False) -> Column:
    left_by_curve = result.kept(level)
    return {c: _kept_cell(left_by_curve.get(c), level, str(c.parameter), with_setting=with_setting) for c in styles}


def _kept_cell(left: Left | None, level: float, parameter: str, *, with_setting: bool) -> tuple[Cell, Left | None]:
    if left is None:
        return Cell(ABSENT, hint="not evaluated"), None
    if not left.reaches(level):
        side = "at most" if left.recovery < level else "at least"
        return Cell(ABSENT, hint=f"{side} {percent(left.recovery)} identified at the settings that were run"), None
    setting = f"{parameter.replace('_', ' ')} {left.setting:.3g}"
    details = (f"\N{PLUS-MINUS SIGN} {number(left.error)}", *([setting] if with_setting else []))
    return Cell(number(left.utility), details, hint=f"{number(left.low)} to {number(left.high)}, {setting}"), left


def _marked(column: Column) -> dict[Curve, Cell]:
    """Return the cells of a column; mark the best and the cells whose interval includes it."""
    best = max((left.utility for _, left in column.values() if left is not None), default=math.nan)
    return {curve: replace(cell, best=left is not None and left.high >= best) for curve, (cell, left) in column.items()}


def settings_table(
    means: Means,
    metrics: Sequence[TaskMetric],
    styles: Styles,
    kinds: Mapping[Curve, str] | None = None,
    form: Callable[[float], str] = number,
) -> Table:
    """Return a metric at the settings of curves of one parameter.

    A cell shows the largest of several metrics; hovering shows all.
    """
    parameter = next((str(curve.parameter) for curve in styles), "")
    means_by_curve: dict[Curve, dict[float, dict[TaskMetric, float]]] = {}
    for metric in metrics:
        for curve, points in noisy(means, metric, styles):
            for setting, mean in points[:, :2].tolist():
                means_by_curve.setdefault(curve, {}).setdefault(setting, {})[metric] = mean
    shown_settings = some({setting for by_setting in means_by_curve.values() for setting in by_setting})
    rows = {
        curve: Row(
            styles[curve].short,
            [_largest(by_setting.get(setting, {}), form) for setting in shown_settings],
            styles[curve].key,
        )
        for curve, by_setting in means_by_curve.items()
    }
    return Table(
        "curve",
        [(parameter.replace("_", " "), [f"{setting:g}" for setting in shown_settings])],
        grouped(rows, kinds) if kinds else [("", list(rows.values()))],
    )


def _largest(values: Mapping[TaskMetric, float], form: Callable[[float], str]) -> Cell:
    if not values:
        return NOTHING
    hint = "; ".join(f"{metric.metric}: {form(value)}" for metric, value in values.items())
    return Cell(form(max(values.values())), hint=hint if len(values) > 1 else "")


def some(settings: Iterable[float]) -> list[float]:
    """Return at most eight settings in ascending order, including the smallest and the largest."""
    ordered = sorted(settings)
    if len(ordered) <= MOST_COLUMNS:
        return ordered
    last = len(ordered) - 1
    return [ordered[round(i * last / (MOST_COLUMNS - 1))] for i in range(MOST_COLUMNS)]
