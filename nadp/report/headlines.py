"""The one figure that stands for each family of benchmarks."""

from collections.abc import Sequence
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
    Headline("word-similarity", "spearman-mean", "Word similarity", "Spearman, mean of the sets"),
    Headline("sts-b", "geometric-mean", "Sentence similarity", "STS-B, geometric mean of Pearson and Spearman"),
    Headline("classification", "accuracy-mean", "Text classification", "accuracy, mean of the sets"),
    Headline("odd-man-out", "accuracy", "Odd-man-out", "correct of the answered"),
)
PAPER_UTILITY = (
    Headline("word-similarity", "spearman-pooled", "Word similarity", "Spearman, raw ratings pooled over the sets"),
    *UTILITY[1:],
)
"""What the paper reports. Pooling ratings of 0 to 10 and 0 to 50 measures mostly which set a pair comes from."""
REFERENCE_UTILITY = (
    Headline("word-similarity", "spearman-mean", "Word similarity", "Spearman, mean of the sets"),
    Headline("sts-by-source", "spearman-weighted-mean", "Sentence similarity", "Spearman by source, mean of the sets"),
    Headline("classification", "accuracy-mean", "Text classification", "accuracy, mean of the sets"),
    Headline("odd-man-out", "reference-correct-share", "Odd-man-out", "correct of all 1,173 lines"),
)
"""What the authors' code reports, where it differs from the paper."""
RECOVERY = Headline("privacy", "recovery-strongest", "Recovery", "share of words that the strongest attack identifies")
LIKELIHOOD = Headline(
    "privacy", "recovery-likelihood", "Recovery by likelihood", "attacker knows the noise of each word"
)


def headlines_of(preset: str) -> tuple[Headline, ...]:
    """Return the headlines of utility of a preset."""
    return {"paper": PAPER_UTILITY, "reference": REFERENCE_UTILITY}.get(preset, UTILITY)


def present(summary: pd.DataFrame, headlines: Sequence[Headline] = UTILITY) -> list[Headline]:
    """Return those of some headlines that a table has figures for."""
    have = set(zip(summary["benchmark"], summary["metric"], strict=True))
    return [headline for headline in headlines if (headline.benchmark, headline.metric) in have]


def rows_of(summary: pd.DataFrame, headline: Headline) -> pd.DataFrame:
    """Return the rows of a summary that belong to a headline."""
    chosen = (summary["benchmark"] == headline.benchmark) & (summary["metric"] == headline.metric)
    chosen &= summary["words"] == "released"
    return summary[chosen]
