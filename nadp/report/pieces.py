"""Pieces of reports."""

import base64
import json
import math
from collections.abc import Sequence
from io import BytesIO
from typing import Any

from matplotlib.figure import Figure


def png(drawn: Figure) -> bytes:
    """Return a figure as PNG, the same bytes for the same figure."""
    buffer = BytesIO()
    drawn.savefig(buffer, format="png", dpi=110, metadata={"Software": None})
    return buffer.getvalue()


def strict_json(value: Any) -> str:  # noqa: ANN401 - any plain value
    """Return a plain value as JSON; numbers that are not finite, which JSON does not know, are null."""
    return json.dumps(_finite(value), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _finite(value: Any) -> Any:  # noqa: ANN401 - any plain value
    if isinstance(value, dict):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def figure(png: bytes, caption: str) -> str:
    """Return a picture that is part of the text, with its caption."""
    return f"![{caption}](data:image/png;base64,{base64.b64encode(png).decode()})\n\n*{caption}*"
