"""Scores, and the tidy table of many."""

from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from typing import Literal, get_args

import pandas as pd

from nadp.components import Isolated
from nadp.mechanisms import MECHANISMS

CURVE = ["mechanism", "tau", "isolated"]
NO_NOISE = "none"
Words = Literal["released", "common"]
"""Which words were scored: all that a curve releases, or those that every curve releases, where some are left out."""
_FIRST = (NO_NOISE, *MECHANISMS)


@dataclass(frozen=True)
class Score:
    """One figure.

    Attributes:
        benchmark: what was measured on, such as "simlex999" or "privacy".
        metric: what was measured, such as "spearman".
        value: the figure; NaN where it is not defined.
        items: how many items it was computed over.
        coverage: share of the benchmark's items whose words are known.
        mechanism: as in MECHANISMS, or "none" for the vectors without noise.
        tau: of the neighbour graph; None where it plays no part.
        isolated: the policy for isolated words; None where it plays no part.
        epsilon: privacy budget; None without noise.
        repeat: which of the draws.
        words: which words were scored.
        resampled: (b,) the figure over each of the bootstrap's resamples of the items; empty where none was computed.
    """

    benchmark: str
    metric: str
    value: float
    items: int
    coverage: float
    mechanism: str = NO_NOISE
    tau: float | None = None
    isolated: str | None = None
    epsilon: float | None = None
    repeat: int = 0
    words: Words = "released"
    resampled: tuple[float, ...] = field(default=(), repr=False)

    def at(
        self, mechanism: str, tau: float | None, isolated: str | None, epsilon: float | None, repeat: int
    ) -> "Score":
        """Return the score with its place in the experiment."""
        return replace(self, mechanism=mechanism, tau=tau, isolated=isolated, epsilon=epsilon, repeat=repeat)


COLUMNS = [
    "mechanism",
    "tau",
    "isolated",
    "epsilon",
    "repeat",
    "benchmark",
    "metric",
    "words",
    "value",
    "items",
    "coverage",
]


def score_table(scores: Iterable[Score]) -> pd.DataFrame:
    """Return one row for each score, in a fixed order of rows and columns."""
    if {f.name for f in fields(Score)} != {*COLUMNS, "resampled"}:
        raise RuntimeError("COLUMNS does not list the fields of Score")
    rows = ([getattr(score, column) for column in COLUMNS] for score in scores)
    table = pd.DataFrame(rows, columns=COLUMNS)
    table = table.astype({"tau": float, "epsilon": float, "isolated": object})
    order = [*CURVE, "epsilon", "benchmark", "metric", "words", "repeat"]
    return table.sort_values(order, kind="stable", ignore_index=True, key=_sort_key)


def in_order(scores: Iterable[Score]) -> list[Score]:
    """Return scores by mechanism, tau and policy, in the order in which these are told of, and by repeat."""
    policy = {name: i for i, name in enumerate(get_args(Isolated))}
    return sorted(
        scores, key=lambda s: (_FIRST.index(s.mechanism), s.tau or 0.0, policy.get(s.isolated or "", -1), s.repeat)
    )


def _sort_key(column: pd.Series) -> pd.Series:
    """Return what a column is sorted by: mechanisms in the order in which they are told of, all else by itself."""
    return column.map(_FIRST.index) if column.name == "mechanism" else column


def mean_and_error(table: pd.DataFrame) -> pd.DataFrame:
    """Return mean, standard error over the repeats, and their number, for each curve, epsilon and metric."""
    keys = [*CURVE, "epsilon", "benchmark", "metric", "words"]
    return (
        table.groupby(keys, dropna=False, sort=False)
        .agg(
            mean=("value", "mean"),
            error=("value", "sem"),
            repeats=("value", "count"),
            items=("items", "max"),
            coverage=("coverage", "max"),
        )
        .reset_index()
    )


def curve_label(mechanism: str, tau: float | None, isolated: str | None) -> str:
    """Return how a curve is called in figures, tables and run names, in ASCII."""
    if mechanism == NO_NOISE:
        return "no noise"
    if tau is None or pd.isna(tau):
        return mechanism
    return f"{mechanism} tau={tau:g} {isolated}"
