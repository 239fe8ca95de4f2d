"""The figures in docs/performance.md, from what the benchmarks wrote.

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
    rows = "\n".join(f"| {label} | {_figure(value)} |" for label, value in _flat(record))
    where = (
        f"{machine['processor']}, {machine['cores']} cores, {machine['memory_gb']:g} GB, Python {machine['python']}, "
        f"NumPy {machine['numpy']}; load average at the end {machine['load_average']}"
    )
    return f"<!-- {name} -->\n| | |\n| --- | --- |\n{rows}\n\n{where}.\n<!-- end -->"


def _flat(record: Any, above: str = "") -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - any JSON
    """Yield every figure with the names that lead to it."""
    if isinstance(record, dict):
        for name, value in record.items():
            yield from _flat(value, f"{above}, {name}" if above else str(name))
    elif isinstance(record, list):
        for value in record:
            yield (
                "; ".join(f"{k} {_figure(v)}" for k, v in value.items() if not isinstance(v, dict)),
                "; ".join(
                    f"{k} {_figure(v)}" for inner in value.values() if isinstance(inner, dict) for k, v in inner.items()
                ),
            )
    else:
        yield above.replace("_", " "), record


def _figure(value: Any) -> str:  # noqa: ANN401 - any JSON
    if isinstance(value, float):
        return f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


if __name__ == "__main__":
    main()
