"""The one figure that stands for each family of benchmarks."""

from dataclasses import dataclass

import pandas as pd


@dataclass(frozen=True)
class Headline:
    """A figure that is shown first.

    Attributes:
        benchmark: of the score.
        metric: of the score.
        title: in words.
        unit: what the axis shows.
    """

    benchmark: str
    metric: str
    title: str
    unit: str


UTILITY = (
    Headline("word-similarity", "spearman-pooled", "Word similarity", "Spearman, pooled pairs"),
    Headline("odd-man-out", "accuracy", "Odd-man-out", "correct of the answered"),
)
RECOVERY = Headline("privacy", "recovery-top1", "Recovery", "share of words got back")


def present(summary: pd.DataFrame) -> list[Headline]:
    """Return the headlines of utility that a table has figures for."""
    have = set(zip(summary["benchmark"], summary["metric"], strict=True))
    return [headline for headline in UTILITY if (headline.benchmark, headline.metric) in have]


def rows_of(summary: pd.DataFrame, headline: Headline) -> pd.DataFrame:
    """Return the rows of a summary that belong to a headline."""
    chosen = (summary["benchmark"] == headline.benchmark) & (summary["metric"] == headline.metric)
    return summary[chosen]
