"""The figures of groups in the docs, from what their benchmark wrote: `python -m benchmarks.groups.page`.

Each block of a page between `<!-- NAME -->` and `<!-- end -->` becomes the table of that name. Rivals are means over
their draws; each figure is that of their best way to decode.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.tables import table

ROOT = Path(__file__).parents[2]
PAGES = (ROOT / "docs" / "groups.md", ROOT / "docs" / "encoding.md")
RESULTS = ROOT / "benchmarks" / "results" / "groups.json"
FIGURES = ("men", "simlex999", "mr")
WAYS = ("raw", "posterior mean", "most probable word")
_ATTACKS = ("Zipf assumed", "domain unigrams", "domain bigrams")
Row = dict[str, Any]
Rows = dict[str, Row]


def main() -> None:
    """Rewrite the pages."""
    rows: Rows = json.loads(RESULTS.read_text(encoding="utf-8"))["rows"]

    def block(found: re.Match[str]) -> str:
        return f"<!-- {found[1]} -->\n\n{BLOCKS[found[1]](rows)}\n\n<!-- end -->"

    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        page.write_text(re.sub(r"<!-- ([\w-]+) -->\n.*?<!-- end -->", block, text, flags=re.DOTALL), encoding="utf-8")


def _groups(rows: Rows, kind: str, names: tuple[str, ...]) -> str:
    heads = ["", "groups", "largest", "recovery", "R²", "mean rank", "one topic", "MEN", "SimLex", "MR"]
    clean = rows[f"{kind}/none"]
    body = [["no groups", "", "", "1", "1", "1", "1", *(_short(clean[one]) for one in FIGURES)]]
    for name in names:
        row = rows[f"{kind}/groups/{name}"]
        body.append(
            [
                name.replace("=", " = "),
                f"{row['groups']:,}",
                f"{row['largest_group']:,}",
                *(_short(row[one]) for one in ("recovery", "r2")),
                f"{row['mean_rank']:.1f}",
                _short(row["one_topic"]),
                *(f"{_short(row[one])} ({_short(row['floor ' + one])})" for one in FIGURES),
            ]
        )
    return table(heads, body)


def _rivals(rows: Rows, kind: str, groups: dict[str, str]) -> str:
    """Return the rivals beside groups.

    Args:
        rows: all rows.
        kind: "tables" or "tokens".
        groups: for each match, as in the keys, the groups that it is compared with.
    """
    body = []
    for match, name in groups.items():
        own = rows[f"{kind}/groups/{name}"]
        head = "recovery" if match.startswith("recovery") else "R²"
        body.append([f"equal {head}", f"**groups, {name.replace('=', ' = ')}**", *_figures(own), "1"])
        found = {rival: _mean(draws) for rival, draws in _matched(rows, kind, match).items()}
        for rival, row in found.items():
            body.append(["", rival, *_figures(row), f"{own['men'] / row['men']:.2g}"])
    return table(["at", "", "recovery", "R²", "MEN", "SimLex", "MR", "MEN of groups over it"], body)


def _figures(row: Row) -> list[str]:
    return [_short(row[one]) for one in ("recovery", "r2", *FIGURES)]


def _matched(rows: Rows, kind: str, match: str) -> dict[str, list[Row]]:
    """Return the draws of each rival at one match."""
    found: dict[str, list[Row]] = {}
    for key, row in rows.items():
        first, *between, last = key.split("/")
        if first == kind and last.isdigit() and between[-1] == match:
            found.setdefault(between[0], []).append(row)
    return found


def _mean(draws: list[Row]) -> Row:
    """Return the means over draws; the utility is that of the way to decode that is best for it."""
    mean = {one: sum(draw[one] for draw in draws) / len(draws) for one in ("recovery", "r2")}
    for one in FIGURES:
        mean[one] = max(sum(draw[way][one] for draw in draws) / len(draws) for way in WAYS)
    return mean


def _small(rows: Rows) -> str:
    body = []
    for name in ("K=8", "b=0.3", "b=0.2"):
        row, shares = rows[f"small/{name}"], rows[f"small/{name}/shares"]
        cells = (f"{_short(row[one])}, {100 * shares[one]:.0f} %" for one in ("men", "mr"))
        body.append([name.replace("=", " = "), _short(row["recovery"]), _short(row["r2"]), *cells])
    return table(["50 dimensions", "recovery", "R²", "MEN, of the clean score", "MR, of the clean score"], body)


def _french(rows: Rows) -> str:
    body = []
    for key, row in rows.items():
        kind, name, *rest = key.split("/")
        if kind == "french" and name == "groups":
            cells = [_short(row[one]) for one in ("recovery", "r2", "kept")]
            body.append([f"groups, {rest[0].replace('=', ' = ')}", *cells])
    for name, draws in _matched(rows, "french", "recovery=0.1").items():
        mean = [sum(draw[one] for draw in draws) / len(draws) for one in ("recovery", "r2")]
        ways = (sum(draw["kept"][way] for draw in draws) / len(draws) for way in WAYS)
        body.append([name, *map(_short, mean), _short(max(ways))])
    return table(["French, 300 dimensions", "recovery", "R²", "true ten nearest neighbours kept"], body)


def _attacks(rows: Rows) -> str:
    body = []
    for key, row in rows.items():
        kind, name, what = (*key.split("/"), "")[:3]
        if kind != "attacks" or what != "texts":
            continue
        repeated = rows[f"attacks/{name}/repeated"]
        cells = [_short(row[one]) for one in _ATTACKS] + [_short(repeated[one]) for one in ("1", "5", "25")]
        body.append([name.replace("b=", "b = "), *cells])
    heads = ["MR", "Zipf assumed", "the domain's words", "the domain's bigrams", "1 encoding", "5", "25"]
    return table(heads, body)


def _priors(rows: Rows) -> str:
    shares = (0.3, 0.2)
    found = [rows[f"attacks/groups b={share}/priors"] for share in shares]
    names = [name for name in found[0] if not name.startswith("rho")]
    return table(["", *(f"b = {share}" for share in shares)], [[n, *(_short(f[n]) for f in found)] for n in names])


def _two(rows: Rows) -> str:
    body = []
    for key, row in rows.items():
        if key.startswith("attacks/two partitions/"):
            name = key.rpartition("/")[2].replace("=", " = ")
            body.append([name, *(_short(row[one]) for one in ("alone 0", "alone 1", "together"))])
    return table(["", "recovery, partition of 100-d", "partition of 50-d", "both together"], body)


def _peers(rows: Rows) -> str:
    body = []
    for key, row in rows.items():
        if key.startswith("peers/"):
            name, _, setting = key.removeprefix("peers/").rpartition("/")
            at = "" if name.startswith("groups") else f", epsilon {setting}"
            kept = "" if row["unchanged"] is None else _short(row["unchanged"])
            body.append(
                [name.replace("b=", "b = ") + at, f"{row['texts']:,}", _short(row["recovery"]), kept, _short(row["mr"])]
            )
    return table(
        ["", "texts", "recovery", "unchanged", "MR"], sorted(body, key=lambda cells: int(cells[1].replace(",", "")))
    )


def _short(value: float) -> str:
    """Return a share with three digits, without the zero before the point."""
    return f"{value:.3f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.3g}"


BLOCKS: dict[str, Callable[[Rows], str]] = {
    "tables": lambda rows: _groups(rows, "tables", ("K=5", "K=6", "K=7", "K=8", "K=20", "K=40")),
    "tables-rivals": lambda rows: _rivals(
        rows, "tables", {"recovery=0.1": "K=7", "r2=0.55": "K=7", "r2=0.25": "K=120"}
    ),
    "tokens": lambda rows: _groups(rows, "tokens", ("b=0.5", "b=0.3", "b=0.25", "b=0.2", "b=0.15")),
    "tokens-rivals": lambda rows: _rivals(
        rows,
        "tokens",
        {f"{figure} of b={share}": f"b={share}" for share in (0.3, 0.2) for figure in ("recovery", "r2")},
    ),
    "small": _small,
    "french": _french,
    "attacks": _attacks,
    "priors": _priors,
    "two": _two,
    "peers": _peers,
}


if __name__ == "__main__":
    main()
