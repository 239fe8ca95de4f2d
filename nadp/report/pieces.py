"""Pieces of reports."""

import base64
from collections.abc import Sequence
from io import BytesIO

from matplotlib.axes import Axes
from matplotlib.figure import Figure

COLOURS = {
    "nadp": "#0072B2",
    "gaussian": "#D55E00",
    "gaussian-classical": "#E69F00",
    "laplacian": "#009E73",
    "laplacian-reference": "#66C2A5",
    "mahalanobis": "#CC79A7",
    "jaccard": "#8C6D31",
    "jaccard-reference": "#555555",
}
"""Of the mechanisms, the same in all figures."""


NOT_REACHED = "\N{EN DASH}"
"""What stands in a table for a curve that does not come to a recovery."""


def png(drawn: Figure) -> bytes:
    """Return a figure as PNG, the same bytes for the same figure."""
    buffer = BytesIO()
    drawn.savefig(buffer, format="png", dpi=110, metadata={"Software": None})
    return buffer.getvalue()


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def figure(png: bytes, caption: str) -> str:
    """Return a picture that is part of the text, with its caption."""
    return f"![{caption}](data:image/png;base64,{base64.b64encode(png).decode()})\n\n*{caption}*"


def panels(count: int) -> tuple[Figure, list[Axes]]:
    """Return a figure with so many panels, two abreast."""
    columns = min(2, count)
    lines = -(-count // columns)
    figure = Figure(figsize=(5.2 * columns, 3.9 * lines + 0.9), layout="constrained")
    axes = figure.subplots(lines, columns, squeeze=False).ravel().tolist()
    for spare in axes[count:]:
        spare.set_visible(False)
    return figure, axes[:count]


def finished(figure: Figure, axes: list[Axes]) -> Figure:
    """Give a figure its one legend."""
    entries = {label: handle for axis in axes for handle, label in zip(*axis.get_legend_handles_labels(), strict=True)}
    if entries:
        figure.legend(
            entries.values(),
            entries.keys(),
            loc="outside lower center",
            ncols=2 if len(axes) == 1 else 4,
            fontsize=8,
            frameon=False,
        )
    for axis in axes:
        axis.grid(visible=True, alpha=0.25)
        axis.spines[["top", "right"]].set_visible(False)
    return figure
