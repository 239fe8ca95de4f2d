"""Pieces of Markdown."""

import base64
from collections.abc import Sequence


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def figure(png: bytes, caption: str) -> str:
    """Return a picture that is part of the text, with its caption."""
    return f"![{caption}](data:image/png;base64,{base64.b64encode(png).decode()})\n\n*{caption}*"
