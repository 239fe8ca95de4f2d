"""Scores, and the tidy table of scores."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Literal, get_args

from nadp.choices import Isolated
from nadp.mechanisms import MECHANISMS

if TYPE_CHECKING:
    import pandas as pd

CURVE = ["mechanism", "tau", "isolated"]
NO_NOISE = "none"
Words = Literal["released", "common"]
"""Which words were scored: all words that the curve releases, or only the words that every curve releases."""
_FIRST = (NO_NOISE, *MECHANISMS)


@dataclass(frozen=True)
class Score:
    """One figure.

    Attributes:
        benchmark: what was measured on, such as "simlex999" or "privacy".
        metric: what was measured, such as "spearman".
        value: the figure; NaN where it is not defined.
        items: number of items over which it was computed.
        coverage: share of the benchmark's items whose words are known.
        mechanism: as in MECHANISMS, or "none" for the vectors without noise.
        tau: tau of the neighbour graph; None where it does not apply.
        isolated: the policy for isolated words; None where it does not apply.
        epsilon: privacy budget; None without noise, and for mechanisms without one.
        parameter: parameter that varies along the curve, "epsilon" for most mechanisms; None without noise.
        setting: the value of that parameter; None without noise.
        repeat: number of the draw.
        words: the words that were scored.
        floor: the same figure over random vectors instead of an embedding; set on the scores without noise only.
        item_error: standard error over the items, by the bootstrap; NaN where none was computed.
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
    parameter: str | None = None
    setting: float | None = None
    repeat: int = 0
    words: Words = "released"
    floor: float | None = None
    item_error: float = math.nan
    resampled: tuple[float, ...] = field(default=(), repr=False)

    @property
    def noisy(self) -> bool:
        """Whether it belongs to a mechanism, not to the vectors without noise."""
        return self.mechanism != NO_NOISE

    def at(  # noqa: PLR0913, PLR0917 - the place of a score in an experiment
        self,
        mechanism: str,
        tau: float | None,
        isolated: str | None,
        setting: float | None,
        repeat: int,
        parameter: str | None = "epsilon",
    ) -> "Score":
        """Return the score with its place in the experiment."""
        parameter = None if setting is None else parameter
        epsilon = setting if parameter == "epsilon" else None
        placed = replace(self, mechanism=mechanism, tau=tau, isolated=isolated, repeat=repeat)
        return replace(placed, epsilon=epsilon, parameter=parameter, setting=setting)


COLUMNS = [
    *("mechanism", "tau", "isolated", "epsilon", "parameter", "setting", "repeat"),
    *("benchmark", "metric", "words", "value", "floor", "items", "coverage", "item_error"),
]


def score_table(scores: Iterable[Score]) -> "pd.DataFrame":
    """Return one row for each score, in a fixed order of rows and columns."""
    import pandas as pd  # noqa: PLC0415 - slow to import

    if {f.name for f in fields(Score)} != {*COLUMNS, "resampled"}:
        raise RuntimeError("COLUMNS does not list the fields of Score")
    rows = ([getattr(score, column) for column in COLUMNS] for score in scores)
    table = _with_floors(pd.DataFrame(rows, columns=COLUMNS))
    table = table.astype({"tau": float, "epsilon": float, "setting": float, "isolated": object, "parameter": object})
    order = [*CURVE, "parameter", "setting", "benchmark", "metric", "words", "repeat"]
    return table.sort_values(order, kind="stable", ignore_index=True, key=_sort_key)


def _with_floors(table: "pd.DataFrame") -> "pd.DataFrame":
    """Return a table in which every score has the floor of the score without noise."""
    keys = ["benchmark", "metric", "words"]
    floors = table.dropna(subset=["floor"]).drop_duplicates(keys).set_index(keys)["floor"].to_dict()
    return table.assign(floor=[floors.get(key, math.nan) for key in table[keys].itertuples(index=False, name=None)])


def in_order(scores: Iterable[Score]) -> list[Score]:
    """Return scores sorted by mechanism, tau and policy in their display order, and by repeat."""
    policy = {name: i for i, name in enumerate(get_args(Isolated))}
    return sorted(scores, key=lambda s: (_rank(s.mechanism), s.tau or 0.0, policy.get(s.isolated or "", -1), s.repeat))


def _sort_key(column: "pd.Series") -> "pd.Series":
    """Return the sort key of a column: mechanisms in display order, other values unchanged."""
    return column.map(_rank) if column.name == "mechanism" else column


def _rank(mechanism: str) -> tuple[int, str]:
    """Return the sort key of a mechanism with parameters: the place of its class, then its parameters."""
    name, _, parameters = mechanism.partition("(")
    return _FIRST.index(name), parameters


def mean_and_error(table: "pd.DataFrame") -> "pd.DataFrame":
    """Return mean, standard error over the repeats, and their number, for each curve, setting and metric."""
    keys = [*CURVE, "epsilon", "parameter", "setting", "benchmark", "metric", "words"]
    return (
        table.groupby(keys, dropna=False, sort=False)
        .agg(
            mean=("value", "mean"),
            error=("value", "sem"),
            repeats=("value", "count"),
            items=("items", "max"),
            coverage=("coverage", "max"),
            item_error=("item_error", "mean"),
        )
        .reset_index()
    )


def curve_label(mechanism: str, tau: float | None, isolated: str | None) -> str:
    """Return the name of a curve in figures, tables and run names, in ASCII."""
    if mechanism == NO_NOISE:
        return "no noise"
    if tau is None or math.isnan(tau):
        return mechanism
    return f"{mechanism} tau={tau:g} {isolated}"
