"""The files of a report, as bytes by name."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from nadp.files.durable import put
from nadp.files.outputs import refuse_inputs
from nadp.report.styles import Style
from nadp.report.svg import Panel, sheet
from nadp.runtime.optional import optional
from nadp.runtime.parallel import cores

_FONT = Path(__file__).parent / "fonts" / "DejaVuSans.ttf"
_FOREIGN = "\N{DIAMETER SIGN}"  # our font lacks all characters from here on
_TEXT = "text.md"  # the markdown in an archive
_ZOOM, _WIDE = 2, 1000  # scale of a picture, unless it is already wide


@dataclass(frozen=True, eq=False)
class Report:
    """The files of an experiment or an audit.

    Attributes:
        files: the content of each file, by its path below the run's folder.
        markdown: the text of the report, including its figures.
    """

    files: dict[str, bytes]
    markdown: str

    def save(self, folder: Path, *inputs: Path) -> None:
        """Write all files below a folder, each atomically.

        Raises:
            InputError: if a file would replace an input.
        """
        refuse_inputs([folder / name for name in self.files], *inputs)
        for name, content in self.files.items():
            put(folder / name, content)

    def archive(self) -> bytes:
        """Return all files and the text as a zip archive; equal reports give equal bytes."""
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w") as archive:
            for name, file in {**self.files, _TEXT: self.markdown.encode()}.items():
                archive.writestr(zipfile.ZipInfo(name), file)  # without the time of writing
        return content.getvalue()

    @classmethod
    def from_archive(cls, path: Path) -> "Report":
        """Return the report whose archive is in a file."""
        with zipfile.ZipFile(path) as archive:
            files = {name: archive.read(name) for name in archive.namelist()}
        return cls(files, files.pop(_TEXT).decode())


def pictures(figures: Mapping[str, Sequence[Panel]], legend: Sequence[Style]) -> dict[str, bytes]:
    """Return each figure as SVG and PNG files for papers, by file name."""
    with ThreadPoolExecutor(cores()) as pool:  # the renderer releases Python's lock
        files = pool.map(lambda name: _files(name, figures[name], legend), figures)
        return dict(chain.from_iterable(files))


def _files(name: str, panels: Sequence[Panel], legend: Sequence[Style]) -> list[tuple[str, bytes]]:
    keys = {line.style.key for panel in panels for line in panel.lines}
    columns = 7 if panels[0].bars and len(panels) > 4 else min(2, len(panels))
    drawing = sheet(panels, [style for style in legend if style.key in keys], columns)
    zoom = 1 if columns * panels[0].width > _WIDE else _ZOOM
    return [(f"{name}.svg", drawing.encode()), (f"{name}.png", png(drawing, zoom))]


def png(drawing: str, zoom: int = _ZOOM) -> bytes:
    """Return a drawing as PNG, enlarged by a factor; equal drawings give equal bytes."""
    with optional("report", "a picture"):
        from resvg_py import svg_to_bytes  # noqa: PLC0415 - optional
    needs_only_our_font = max(drawing) < _FOREIGN  # system fonts are slow to load
    return bytes(
        svg_to_bytes(svg_string=drawing, zoom=zoom, font_files=[str(_FONT)], skip_system_fonts=needs_only_our_font)
    )
