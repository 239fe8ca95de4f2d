"""Figures from the tidy table alone: scores.csv is enough to draw them again."""

from collections.abc import Iterator, Sequence
from typing import Any, cast

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from nadp.report.headlines import RECOVERY, UTILITY, Headline, present, rows_of
from nadp.report.pieces import COLOURS, finished, panels, png
from nadp.scores import CURVE, NO_NOISE, curve_label, mean_and_error

_MARKERS = "osD^vP*X"
_STYLES = ("-", "--", "-.", ":", (0, (1, 1)))
_SKEWNESS = Headline("privacy", "overlap-skewness", "The paper's privacy figure", "skewness of the overlap")


def figures(table: pd.DataFrame, headlines: Sequence[Headline] = UTILITY) -> dict[str, bytes]:
    """Return all figures of a table of scores as PNG, by name."""
    summary = mean_and_error(table)
    drawn = {
        "utility": utility_figure(summary, headlines),
        "privacy": privacy_figure(summary),
        "utility-against-recovery": trade_off_figure(summary, headlines),
    }
    return {name: png(figure) for name, figure in drawn.items()}


def utility_figure(summary: pd.DataFrame, headlines: Sequence[Headline] = UTILITY) -> Figure:
    """Return utility against epsilon, a panel for each family of benchmarks (Figure 2 a to d)."""
    shown = present(summary, headlines)
    figure, axes = panels(max(1, len(shown)))
    for axis, headline in zip(axes, shown, strict=False):
        _against_epsilon(axis, summary, headline)
    return finished(figure, axes)


def privacy_figure(summary: pd.DataFrame) -> Figure:
    """Return measured recovery beside the skewness of the overlap (Figure 3): never the latter alone."""
    figure, axes = panels(2)
    _against_epsilon(axes[0], summary, RECOVERY)
    axes[0].set_ylim(-0.02, 1.02)
    axes[0].set_title("Recovery: the nearest word to the noisy vector is the word itself", fontsize=9)
    _against_epsilon(axes[1], summary, _SKEWNESS)
    axes[1].set_title("Skewness of the overlap (the paper reads low as private: misleading)", fontsize=9)
    return finished(figure, axes)


def trade_off_figure(summary: pd.DataFrame, headlines: Sequence[Headline] = UTILITY) -> Figure:
    """Return utility against measured recovery: the one axis on which the mechanisms can be compared."""
    shown = present(summary, headlines)
    figure, axes = panels(max(1, len(shown)))
    for axis, headline in zip(axes, shown, strict=False):
        for name, style, recovered in _curves(rows_of(summary, RECOVERY)):
            useful = rows_of(summary, headline).merge(recovered[["epsilon"]], on="epsilon")
            both = recovered.merge(_same_curve(useful, recovered), on="epsilon", suffixes=("_r", "_u"))
            axis.errorbar(both["mean_r"], both["mean_u"], both["error_u"], both["error_r"], label=name, **style)
        _baseline(axis, rows_of(summary, headline))
        axis.set(xlabel="recovery: share of words an attack gets back", ylabel=headline.unit, title=headline.title)
        axis.set_xlim(-0.02, 1.02)
    return finished(figure, axes)


def _against_epsilon(axis: Axes, summary: pd.DataFrame, headline: Headline) -> None:
    rows = rows_of(summary, headline)
    for name, style, curve in _curves(rows):
        axis.errorbar(curve["epsilon"], curve["mean"], curve["error"], label=name, **style)
    if headline is not _SKEWNESS:
        _baseline(axis, rows)
    positive = rows.loc[rows["epsilon"] > 0, "epsilon"]
    if len(positive) and (rows["epsilon"] == 0).any():
        axis.set_xscale("symlog", linthresh=positive.min(), linscale=0.5)
    elif len(positive):
        axis.set_xscale("log")
    ticks = sorted(rows["epsilon"].dropna().unique())
    if len(ticks) <= 8:
        axis.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        axis.minorticks_off()
    axis.set(xlabel="epsilon (smaller: more noise)", ylabel=headline.unit, title=headline.title)


def _curves(rows: pd.DataFrame) -> Iterator[tuple[str, dict[str, Any], pd.DataFrame]]:
    """Yield label, style and points of each curve with noise, in a fixed order."""
    noisy = rows[rows["mechanism"] != NO_NOISE]
    seen: dict[str, int] = {}
    for index, (key, curve) in enumerate(noisy.groupby(CURVE, dropna=False, sort=False)):
        mechanism, tau, isolated = cast("tuple[str, float, str]", key)
        nth = seen[mechanism] = seen.get(mechanism, -1) + 1
        style = {
            "color": _paler(COLOURS.get(mechanism, "black"), nth),
            "marker": _MARKERS[index % len(_MARKERS)],
            "linestyle": _STYLES[nth % len(_STYLES)],
            "markersize": 4,
            "linewidth": 1.2,
            "capsize": 2,
        }
        yield curve_label(mechanism, tau, isolated), style, curve.sort_values("epsilon")


def _paler(colour: str, nth: int) -> tuple[float, ...]:
    """Return a colour mixed with white, the more so the more curves of its mechanism there were before."""
    white = min(0.16 * nth, 0.7)
    return tuple(white + (1 - white) * part for part in to_rgb(colour))


def _same_curve(rows: pd.DataFrame, curve: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that lie on the curve of some other rows."""
    same = np.ones(len(rows), dtype=bool)
    for column in CURVE:
        value = curve[column].iloc[0]
        same &= rows[column].isna() if pd.isna(value) else rows[column] == value
    return rows[same].drop_duplicates("epsilon")


def _baseline(axis: Axes, rows: pd.DataFrame) -> None:
    """Draw what the vectors without noise reach."""
    for value in rows.loc[rows["mechanism"] == NO_NOISE, "mean"].dropna():
        axis.axhline(value, color="black", linestyle=":", linewidth=1, label="no noise")
