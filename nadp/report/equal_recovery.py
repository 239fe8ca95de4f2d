"""The section that compares curves at equal recovery, its figure and its table."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.figure import Figure

from nadp.experiment.comparison import CONFIDENCE, LEVELS, Comparison, Difference
from nadp.report.headlines import Headline
from nadp.report.pieces import COLOURS, NOT_REACHED, finished, panels, table

_READING = """\
Each cell is {base} less another curve, with an interval from a paired bootstrap over the items and the repeats; all \
intervals together hold with {confidence:.0%} probability. **Bold**: the interval leaves out 0. The interpolation \
between the amounts of noise that were run adds an error of its own that the intervals do not know: run more epsilons \
where it matters. A dash: one of the two does not come there."""
_COMMON = " All curves are compared on the words that every one of them releases."


def difference_table(*comparisons: Comparison) -> pd.DataFrame:
    """Return the differences at equal recovery, a row each, under the attack of each comparison."""
    rows = [
        [*d.figure, found.attack, d.recovery, d.curve.label, d.other.label, d.value, d.low, d.high]
        for found in comparisons
        for d in found.differences
    ]
    columns = ["benchmark", "metric", "attack", "recovery", "curve", "other", "difference", "low", "high"]
    return pd.DataFrame(rows, columns=columns)


def section(comparison: Comparison, shown: Sequence[Headline]) -> str:
    """Return the comparison in words and in tables; empty if there is none."""
    if not comparison.differences or comparison.base is None:
        return ""
    others = list(dict.fromkeys(d.other for d in comparison.differences))
    heads = ["figure", "recovery", comparison.base.label, *(other.label for other in others)]
    rows = []
    for headline in shown:
        figure = (headline.benchmark, headline.metric)
        mine = [d for d in comparison.differences if d.figure == figure]
        for level in dict.fromkeys(d.recovery for d in mine):
            at = {d.other: d for d in mine if d.recovery == level}
            own = comparison.utility[figure][comparison.base][LEVELS.index(level)]
            cells = [_cell(at[other]) if other in at else NOT_REACHED for other in others]
            rows.append([headline.title.lower(), f"{level:.0%}", f"{own:.3f}", *cells])
    reading = _READING.format(base=comparison.base.label, confidence=CONFIDENCE)
    return reading + (_COMMON if comparison.common else "") + "\n\n" + table(heads, rows)


def _cell(difference: Difference) -> str:
    said = f"{difference.value:+.3f} [{difference.low:+.3f}, {difference.high:+.3f}]"
    return f"**{said}**" if difference.shown else said


def difference_figure(comparison: Comparison, shown: Sequence[Headline]) -> Figure:
    """Return the differences against recovery, a panel for each family of benchmarks, with their intervals."""
    figure, axes = panels(max(1, len(shown)))
    for axis, headline in zip(axes, shown, strict=False):
        mine = [d for d in comparison.differences if d.figure == (headline.benchmark, headline.metric)]
        for place, other in enumerate(dict.fromkeys(d.other for d in mine)):
            line = [d for d in mine if d.other == other]
            at = [LEVELS.index(d.recovery) + 0.08 * place for d in line]
            bars = [[d.value - d.low for d in line], [d.high - d.value for d in line]]
            colour = COLOURS.get(other.mechanism, "black")
            values = [d.value for d in line]
            axis.errorbar(
                at, values, bars, label=f"less {other.label}", color=colour, marker="o", markersize=4, capsize=2
            )
        axis.axhline(0, color="black", linewidth=1)
        axis.set_xticks(range(len(LEVELS)), [f"{level:.0%}" for level in LEVELS])
        axis.set(xlabel="recovery: share of words an attack gets back", title=headline.title)
        axis.set_ylabel(f"{comparison.base.label if comparison.base else ''} less another")
    return finished(figure, axes)
