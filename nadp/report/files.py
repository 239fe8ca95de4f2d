"""All files of a report, as bytes by name."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from nadp.experiment.comparison import NEAREST, STRONGEST, compared
from nadp.experiment.manifest import Manifest
from nadp.files.durable import put
from nadp.files.outputs import refuse_inputs
from nadp.report.equal_recovery import difference_figure, difference_table
from nadp.report.figures import figures
from nadp.report.headlines import headlines_of, present
from nadp.report.histograms import overlap_histograms
from nadp.report.page import page
from nadp.report.pieces import png
from nadp.report.text import report_markdown
from nadp.scores import Score, score_table


@dataclass(frozen=True, eq=False)
class Report:
    """What is written at the end of an experiment.

    Attributes:
        files: the contents of each file, by its path below the folder of the run.
        markdown: the text of the report, with its figures in it.
    """

    files: dict[str, bytes]
    markdown: str

    def save(self, folder: Path, *inputs: Path) -> None:
        """Write all files below a folder, each of them whole or not at all.

        Raises:
            InputError: if one of them is one of the inputs, which would be replaced.
        """
        refuse_inputs([folder / name for name in self.files], *inputs)
        for name, content in self.files.items():
            put(folder / name, content)


def report(scores: Iterable[Score], manifest: Manifest) -> Report:
    """Return scores.csv, equal_recovery.csv, manifest.json, the figures and report.html of an experiment."""
    scores = list(scores)
    table = score_table(scores)
    headlines = headlines_of(manifest.preset)
    utility = [(h.benchmark, h.metric) for h in headlines]
    comparison, by_nearest = (compared(scores, utility, attack=attack) for attack in (STRONGEST, NEAREST))
    shown = present(table, headlines)
    images = figures(table, headlines) | {
        "difference-at-equal-recovery": png(difference_figure(comparison, shown)),
        "overlap-histograms": overlap_histograms(manifest.overlap_sweep),
    }
    markdown = report_markdown(table, manifest, images, headlines, comparison)
    files = {
        "scores.csv": table.to_csv(index=False, lineterminator="\n").encode(),
        "equal_recovery.csv": difference_table(comparison, by_nearest)
        .to_csv(index=False, lineterminator="\n")
        .encode(),
        "manifest.json": manifest.to_json().encode(),
        **{f"figures/{name}.png": image for name, image in images.items()},
        "report.html": page(markdown, f"NADP experiment: {manifest.embedding.name}").encode(),
    }
    return Report(files, markdown)
