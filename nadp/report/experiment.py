"""The report of an experiment: all its files, as bytes by name."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from nadp.experiment.choosing import TaskResult, task_result
from nadp.experiment.comparison import Comparison, compared
from nadp.experiment.curves import Curve
from nadp.experiment.headlines import headlines
from nadp.experiment.manifest import Manifest
from nadp.experiment.means import Means
from nadp.experiment.metrics import (
    ATTACKS,
    DISCLOSED,
    DISCLOSURE,
    NEAREST,
    SKEWNESS,
    STRONGEST,
    TaskMetric,
    single_tasks,
)
from nadp.report import answer, figures, guarantees, tables
from nadp.report.files import Report, pictures
from nadp.report.labels import ATTACK, POLICY, title, unit
from nadp.report.page import rendered
from nadp.report.styles import Style, styles
from nadp.report.svg import Panel, drawn
from nadp.report.texts import number, percent
from nadp.report.two_kinds import side_by_side
from nadp.report.words import nearest_words
from nadp.scores import CURVE, Score, score_table

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class View:
    """The values for the templates of an experiment's report.

    Attributes:
        manifest: what was run.
        table: the scores.
        comparison: comparison of the curves at equal recovery.
    """

    manifest: Manifest
    table: "pd.DataFrame"
    comparison: Comparison

    @cached_property
    def means(self) -> Means:
        """Means and errors of the scores."""
        return Means(self.table)

    @cached_property
    def styles(self) -> dict[Curve, Style]:
        """The style of each curve with noise."""
        return styles(self.manifest.noisy)

    @cached_property
    def kinds(self) -> dict[Curve, str]:
        """The kind of guarantee of each curve, in words."""
        return guarantees.kinds(self.manifest)

    @cached_property
    def headlines(self) -> list[TaskResult]:
        """The tasks at the top of the report, under all curves."""
        return [self.result(task) for task in headlines(self.manifest, self.means.metrics)]

    @cached_property
    def tasks(self) -> list[TaskResult]:
        """Each single task under all curves."""
        return [self.result(task) for task in single_tasks(self.means.metrics, self.manifest.main_metrics)]

    def result(self, task: TaskMetric, attack: TaskMetric = STRONGEST) -> TaskResult:
        """Return a task under all curves."""
        return task_result(self.means, task, attack)

    @cached_property
    def figures(self) -> dict[str, list[Panel]]:
        """The panels of each figure, by the name of its file; figures without panels are left out."""
        styles, results = self.styles, self.headlines
        all_figures = {
            "kept": [figures.kept_panel(result, answer.LEVELS, styles) for result in results],
            "utility-against-recovery": [figures.axis_panel(r, figures.recovery(), styles) for r in results],
            "utility-against-disclosure": [
                figures.axis_panel(self.result(r.task, axis), figures.disclosure(), styles)
                for axis in self.means.present([DISCLOSURE])
                for r in results
            ],
            "utility": [
                figures.setting_panel(r, group) for group in figures.by_parameter(styles).values() for r in results
            ],
            "privacy": self._privacy(),
            "differences": [
                figures.difference_panel(self.comparison, task, styles)
                for task in dict.fromkeys(d.task for d in self.comparison.differences)
            ],
            "overlap-histograms": [figures.histogram_panel(overlap) for overlap in self.manifest.overlap_sweep],
            "components": [figures.sizes_panel(graph) for graph in self.manifest.graphs],
        }
        return {name: panels for name, panels in all_figures.items() if panels}

    def _privacy(self) -> list[Panel]:
        """Return panels of the recovery by each attack, and of the paper's skewness, which is never shown alone."""
        shown = [(attack, f"Recovery, {ATTACK[attack]}", True) for attack in self.attacks]
        shown += [(metric, "Skewness of the overlap", False) for metric in self.means.present([SKEWNESS])]
        return [
            figures.privacy_panel(self.means, metric, heading, group, share=share)
            for group in figures.by_parameter(self.styles).values()
            for metric, heading, share in shown
        ]

    @cached_property
    def attacks(self) -> list[TaskMetric]:
        """The attacks that were run."""
        return self.means.present(ATTACKS)

    def at_settings(self, metrics: Sequence[TaskMetric], *, share: bool = False) -> list[tables.Table]:
        """Return tables of a metric, or of the largest of several, at the curves' settings; one for each parameter."""
        kinds, form = (self.kinds, percent) if share else (None, number)
        groups = figures.by_parameter(self.styles).values()
        return [tables.settings_table(self.means, metrics, group, kinds, form) for group in groups]


_OF_CENTROIDS = ("sts-b", "sts-by-source", "classification")
_OF_TEXTS = ("sentence-pairs", "labelled-texts")


def report(scores: Iterable[Score], manifest: Manifest) -> Report:
    """Return scores.csv, equal_recovery.csv, manifest.json, the figures and report.html of an experiment."""
    scores = list(scores)
    table = score_table(scores)
    metrics = headlines(manifest, Means(table).metrics)
    comparison, by_nearest = (compared(scores, metrics, attack=attack) for attack in (STRONGEST, NEAREST))
    view = View(manifest, table, comparison)
    images = pictures(
        {name: view.figures[name] for name in view.figures if name != "components"}, list(view.styles.values())
    )
    values = _values(view)
    files = {
        "scores.csv": view.table.to_csv(index=False, lineterminator="\n").encode(),
        "equal_recovery.csv": _differences(comparison, by_nearest).to_csv(index=False, lineterminator="\n").encode(),
        "manifest.json": manifest.to_json().encode(),
        **{f"figures/{name}": image for name, image in images.items()},
        "report.html": rendered("experiment.html.j2", **values).encode(),
    }
    return Report(files, rendered("experiment.md.j2", images=images, **values))


def _values(view: View) -> dict[str, Any]:
    """Return the values for the templates of the page and of the artifact."""
    manifest, styles, results = view.manifest, view.styles, view.headlines
    text_benchmarks = [*_OF_CENTROIDS, *(b.name for b in manifest.benchmarks if b.family in _OF_TEXTS)]
    return {
        "title": f"Private word embeddings: {manifest.embedding.name}",
        "manifest": manifest,
        "styles": list(styles.values()),
        "lead": answer.lead(results),
        "kinds": side_by_side(view.means, [result.task for result in results]),
        "verdict": answer.verdict(view.comparison, styles),
        "risen": answer.above_clean([r for r in results if r.task.benchmark in text_benchmarks]),
        "exposed": answer.without_noise(manifest, styles),
        "strongest": {styles[curve].short: ends for curve, ends in answer.strongest(view.means, styles).items()},
        "warnings": answer.warnings(manifest, styles),
        "of_table": any(b.family in ("labelled-rows", "row-pairs") for b in manifest.benchmarks),
        "limits": guarantees.LIMITS,
        "kept": tables.kept_table(results, answer.LEVELS, styles, view.kinds) if results else None,
        "levels": [percent(level) for level in answer.LEVELS],
        "cards": _cards(view),
        "panels": {name: [drawn(panel) for panel in panels] for name, panels in view.figures.items()},
        "recovery": view.at_settings([STRONGEST, *view.attacks], share=True),
        "disclosed": [(unit(metric), view.at_settings([metric])) for metric in view.means.present(DISCLOSED)],
        "attacks": [ATTACK[attack] for attack in view.attacks],
        "utility": [(title(r.task), view.at_settings([r.task])) for r in results],
        "base": styles[view.comparison.base].short if view.comparison.base else "",
        "common": view.comparison.common,
        "graphs": manifest.graphs,
        "policies": POLICY,
        "guesses": guarantees.guess_table(manifest, styles),
        "groups": guarantees.group_tables(manifest, styles),
        "statements": guarantees.statements(manifest, styles),
        "in_use": guarantees.in_use(manifest.epsilons, manifest.delta),
        "words": nearest_words(manifest, styles),
    }


def _cards(view: View) -> list[tuple[Any, tables.Table]]:
    """Return a panel and a table for each single task: its utility, and the setting that reaches it."""
    styles = view.styles
    return [
        (
            drawn(figures.axis_panel(result, figures.recovery(), styles)),
            tables.task_table(result, answer.LEVELS, styles),
        )
        for result in view.tasks
        if result.points
    ]


def _differences(*comparisons: Comparison) -> "pd.DataFrame":
    """Return the differences at equal recovery, a row each, under the attack of each comparison."""
    import pandas as pd  # noqa: PLC0415 - slow to import

    ends = [("", "curve"), ("other_", "other")]
    places = [f"{prefix}{column}" for prefix, _ in ends for column in CURVE]
    rows = [
        [
            *d.task,
            comparison.attack.metric,
            d.recovery,
            *(getattr(getattr(d, name), column) for _, name in ends for column in CURVE),
            *(d.value, d.low, d.high),
        ]
        for comparison in comparisons
        for d in comparison.differences
    ]
    return pd.DataFrame(
        rows, columns=["benchmark", "metric", "attack", "recovery", *places, "difference", "low", "high"]
    )
