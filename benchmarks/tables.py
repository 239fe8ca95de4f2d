"""The figures in docs/performance.md, from the results of the benchmarks.

python -m benchmarks.tables

Each block of the page between `<!-- NAME -->` and `<!-- end -->` becomes a table of benchmarks/results/NAME.json.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "performance.md"
RESULTS = ROOT / "benchmarks" / "results"


def main() -> None:
    """Rewrite the page."""
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(re.sub(r"<!-- (\w+) -->\n.*?<!-- end -->", _block, text, flags=re.DOTALL), encoding="utf-8")


def _block(found: re.Match[str]) -> str:
    name = found.group(1)
    record = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    machine = record.pop("machine")
    where = (
        f"{machine['processor']}, {machine['cores']} cores, {machine['memory_gb']:g} GB, Python {machine['python']}, "
        f"NumPy {machine['numpy']}; load average at the end {machine['load_average']}."
    )
    return "\n\n".join([f"<!-- {name} -->", *_tables(record), where]) + "\n<!-- end -->"


def _tables(record: dict[str, Any]) -> Iterator[str]:
    """Yield a table of the single figures, then one for each group of similar records."""
    groups = {name: _rows(value) for name, value in record.items()}
    singles = {name: value for name, value in record.items() if not groups[name]}
    yield table(["", ""], [[label, _figure(value)] for label, value in _flat(singles)])
    for name, rows in groups.items():
        if rows:
            heads = list(dict.fromkeys(key for row in rows for key in row))
            yield table(heads, [[_figure(row.get(key, "")) for key in heads] for row in rows], f"{name}:\n\n")


def _rows(value: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - any JSON
    """Return a list, or a dictionary, of records as rows; none if it is neither."""
    if isinstance(value, dict) and value and all(isinstance(inner, dict) for inner in value.values()):
        value = [{"": name, **inner} for name, inner in value.items()]
    return [dict(_flat(row)) for row in value] if isinstance(value, list) else []


def table(heads: list[str], rows: list[list[str]], title: str = "") -> str:
    """Return a table in Markdown."""
    lines = [heads, ["---"] * len(heads), *rows]
    return title + "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _flat(record: dict[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every figure with its path of names."""
    for name, value in record.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{above}{name}, ")
        else:
            yield (above + name).replace("_", " "), value


def _figure(value: Any) -> str:  # noqa: ANN401 - any JSON
    if isinstance(value, float):
        return f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


if __name__ == "__main__":
    main()
