"""The first screen of a report: how much use at how much measured exposure, who is not protected, what is promised."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from nadp.experiment.comparison import LEVELS, Comparison, Difference
from nadp.experiment.curves import Curve
from nadp.experiment.manifest import Manifest
from nadp.report.headlines import Headline, present, rows_of
from nadp.report.pieces import NOT_REACHED, table
from nadp.report.warnings import warnings
from nadp.scores import NO_NOISE

_SHOWN = (0.1, 0.5)  # recovery
_OF_CENTROIDS = ("sts-b", "sts-by-source", "classification")
_PROMISE = (
    "**What is promised**: that one token replaced by a word it is joined to in the neighbour graph can hardly be "
    "told, as far as epsilon and delta go. Nothing is promised between words that are not joined (across components), "
    "for words without noise, or for the texts that the embedding was trained on; more below."
)


def in_short(summary: pd.DataFrame, manifest: Manifest, shown: Sequence[Headline], comparison: Comparison) -> str:
    """Return the answer to what a reader wants to know first.

    Args:
        summary: means and errors of the scores.
        manifest: what was run.
        shown: the figures of utility that there are.
        comparison: of the curves at equal recovery.
    """
    lines = [_without_noise(summary, shown), _at_equal_recovery(comparison, shown), _rise_line(summary, shown)]
    lines += [*_not_protected(manifest), _PROMISE, *warnings(manifest)]
    bullets = "\n".join(f"- {line}" for line in lines if line)
    return f"{bullets}\n\n{_table(summary, manifest, shown, comparison)}"


def number(value: float, form: str = ".3f") -> str:
    """Return a figure as text."""
    return "not defined" if pd.isna(value) else format(value, form)


def _without_noise(summary: pd.DataFrame, shown: Sequence[Headline]) -> str:
    rows = summary[summary["mechanism"] == NO_NOISE]
    found = [f"{h.title.lower()} {number(rows_of(rows, h)['mean'].iloc[0])} ({h.unit})" for h in present(rows, shown)]
    return f"**Without noise**: {'; '.join(found)}. Every word is given away." if found else ""


def _at_equal_recovery(comparison: Comparison, shown: Sequence[Headline]) -> str:
    """Return how the first NADP curve does against the others where equally many words are got back."""
    found = comparison.differences
    if not found or comparison.base is None:
        return ""
    ahead = [d for d in found if d.shown > 0]
    behind = [d for d in found if d.shown < 0]
    return (
        f"**Where equally many words are got back**, {comparison.base.label} was compared with the other curves "
        f"{len(found)} times: it is ahead beyond chance in {len(ahead)}{_where(ahead, shown)}, behind in "
        f"{len(behind)}{_where(behind, shown)}, and in {len(found) - len(ahead) - len(behind)} no difference shows."
    )


def _where(differences: Sequence[Difference], shown: Sequence[Headline]) -> str:
    """Return on which figures, and against which curves."""
    titles = {(h.benchmark, h.metric): h.title.lower() for h in shown}
    figures = dict.fromkeys(d.figure for d in differences)
    said = [
        f"{titles[figure]} against {', '.join(dict.fromkeys(d.other.label for d in differences if d.figure == figure))}"
        for figure in figures
    ]
    return f" ({'; '.join(said)})" if said else ""


def _rise_line(summary: pd.DataFrame, shown: Sequence[Headline]) -> str:
    """Return a word on figures of centroids that are better with noise than without, where there are any."""
    risen = []
    for headline in shown:
        if headline.benchmark not in _OF_CENTROIDS:
            continue
        rows = rows_of(summary, headline)
        baseline = rows.loc[rows["mechanism"] == NO_NOISE, "mean"]
        if len(baseline) and (rows["mean"] - 2 * rows["error"] > baseline.iloc[0]).any():
            risen.append(headline.title.lower())
    if not risen:
        return ""
    return (
        f"**Better with noise than without ({', '.join(risen)})**: this is no gain of the mechanism. Much noise makes "
        "the vectors of different words nearly orthogonal, so that the cosine of two centroids counts the words they "
        "share, which for some sets does better than the centroids themselves."
    )


def _not_protected(manifest: Manifest) -> list[str]:
    """Return, for each graph, how many words nothing protects under the policies that were run."""
    said = []
    for graph in manifest.graphs:
        largest = ", ".join(f"{size:,}" for size in graph.largest[:3])
        fate = {
            "exact": "and are released **as they are**, without noise",
            "nearest": "and are joined to their nearest word, so that all words get noise",
            "global": "and get the largest noise, but no guarantee",
            "drop": "and are left out of the release",
        }[graph.isolated]
        said.append(
            f"**Not protected by the paper's rule** (tau {graph.tau:g}): {graph.isolated_share:.1%} of the words "
            f"are alone in the graph, {fate} (`{graph.isolated}`). Largest components: {largest} words."
        )
    return said


def _table(summary: pd.DataFrame, manifest: Manifest, shown: Sequence[Headline], comparison: Comparison) -> str:
    """Return the utility of each curve where a tenth and half of the words are got back."""
    heads = ["curve", *(f"{h.title.lower()} at {level:.0%}" for h in shown for level in _SHOWN), "without noise"]
    rows = []
    for curve in manifest.noisy:
        cells = [_at(comparison, h, curve, level) for h in shown for level in _SHOWN]
        rows.append([curve.label, *cells, _exposed(summary, curve)])
    intro = (
        "Utility where the nearest-word attack gets back 10 % and 50 % of the words, interpolated between the amounts "
        "of noise that were run; a dash where a curve does not come there. Epsilons are not compared here: the same "
        "epsilon is a different amount of noise in each mechanism."
    )
    return f"{intro}\n\n{table(heads, rows)}" if rows and shown else ""


def _at(comparison: Comparison, headline: Headline, curve: Curve, level: float) -> str:
    row = comparison.utility.get((headline.benchmark, headline.metric), {}).get(curve)
    value = np.nan if row is None else row[LEVELS.index(level)]
    return NOT_REACHED if np.isnan(value) else f"{value:.3f}"


def _exposed(summary: pd.DataFrame, curve: Curve) -> str:
    rows = summary[(summary["metric"] == "share-without-noise") & (summary["mechanism"] == curve.mechanism)]
    for column in ("tau", "isolated"):
        value = getattr(curve, column)
        rows = rows[rows[column].isna() if value is None else rows[column] == value]
    return f"{rows['mean'].iloc[0]:.1%}" if len(rows) else ""
