"""Reports of a run: its files, and an artifact of the flow run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from prefect import task
from prefect.artifacts import create_markdown_artifact
from prefect.client.schemas.objects import State

from nadp.attacks.overlap_sweep import OverlapAt
from nadp.experiment.curves import Curve, Recipe
from nadp.experiment.facts import graph_facts, space_facts
from nadp.experiment.manifest import BenchmarkFacts, EmbeddingFacts, Gap, Manifest, ShownWord
from nadp.experiment.neighbour_words import NeighbourWords
from nadp.files.paths import absolute
from nadp.report.experiment import report as report_of
from nadp.report.files import Report
from tasks.embedding import EmbeddingFile, KeptWords
from tasks.sources.benchmarks.fetching import FetchedBenchmark
from tasks.space import Space, space_of
from tasks.store.artefacts import Artefact, stored
from tasks.store.caching import CACHED
from tasks.store.score_store import scores_in

Shown = list[tuple[Curve, float | None, NeighbourWords]]


def reason_of(state: State[Any]) -> str:
    """Return the error message of a failed run."""
    if not state.is_final():
        return "its worker died, and so did its replacements"
    error = state.result(raise_on_failure=False)
    return str(error) if isinstance(error, Exception) and str(error) else str(state.message or state.name)


@dataclass(frozen=True)
class Findings:
    """The results of all parts of an experiment.

    Attributes:
        parameters: the settings.
        source: the embedding file.
        kept: the kept words.
        spaces: one for each graph and policy.
        curves: the compared ones.
        recipes: recipes of all curves.
        scores: files of scores.
        benchmarks: fetched ones.
        missing: benchmarks that were not available.
        failed: evaluations that failed.
        shown: nearest words of some words, with curve and setting.
        sweep: the distribution of the overlap as Gaussian noise grows.
    """

    parameters: Mapping[str, Any]
    source: EmbeddingFile
    kept: KeptWords
    spaces: Sequence[Space]
    curves: Sequence[Curve]
    recipes: Sequence[Recipe]
    scores: Sequence[Artefact]
    benchmarks: Sequence[FetchedBenchmark]
    missing: Sequence[Gap]
    failed: Sequence[Gap]
    shown: Sequence[Shown]
    sweep: Sequence[OverlapAt]

    @property
    def inputs(self) -> list[Artefact]:
        """The files that the experiment read."""
        return [self.source.file, *(file for benchmark in self.benchmarks for file in benchmark.files)]


@task(name="render-report", task_run_name="render-report", **CACHED)
def render_report(findings: Findings, package_versions: Mapping[str, str]) -> Artefact:
    """Return an archive of all files of the report.

    Args:
        findings: the results.
        package_versions: versions of the packages on which results depend; the report states them.
    """
    return stored(report_on(findings, package_versions).archive(), ".zip")


@task(name="report", task_run_name="report")
def write_report(rendered: Artefact, out: str, inputs: Sequence[Artefact]) -> str:
    """Write all files of the report to a folder and return its path.

    Args:
        rendered: archive of the files.
        out: the folder.
        inputs: files of the run, which no file of the report may replace.
    """
    folder, report = absolute(out), Report.from_archive(rendered.local())
    report.save(folder, *(file.local() for file in inputs))
    create_markdown_artifact(key="report", markdown=report.markdown, description=f"Report of {folder}")
    return str(folder)


def report_on(findings: Findings, package_versions: Mapping[str, str]) -> Report:
    """Return the report of an experiment."""
    manifest = manifest_of(findings, package_versions)
    words = manifest.space.words
    scores = [score for file in findings.scores for score in scores_in(file.local())]
    for recipe in findings.recipes:
        scores += [recipe.placed(score, 0) for score in recipe.scores(words)]
    return report_of(scores, manifest)


def manifest_of(findings: Findings, package_versions: Mapping[str, str]) -> Manifest:
    """Return the manifest: inputs with their hashes, parameters, versions, counts."""
    spaces = [space_of(space) for space in findings.spaces]
    source, parameters = findings.source, dict(findings.parameters)
    return Manifest(
        preset=parameters["preset"],
        delta=parameters["delta"],
        repeats=parameters["repeats"],
        parameters=parameters,
        embedding=EmbeddingFacts(
            source.name, source.file.sha256, source.file.size, source.member, findings.kept.counts
        ),
        space=space_facts(spaces[0]),
        graphs=tuple(graph_facts(space) for space in spaces),
        curves=tuple(findings.curves),
        recipes=tuple(findings.recipes),
        benchmarks=tuple(_benchmark(fetched) for fetched in findings.benchmarks),
        missing=tuple(findings.missing),
        failed=tuple(findings.failed),
        shown=tuple(
            ShownWord(curve, setting, neighbours.word, neighbours.nearest, neighbours.itself)
            for shown in findings.shown
            for curve, setting, neighbours in shown
        ),
        overlap_sweep=tuple(findings.sweep),
        versions=dict(package_versions),
    )


def _benchmark(fetched: FetchedBenchmark) -> BenchmarkFacts:
    declared = fetched.benchmark
    return BenchmarkFacts(
        name=declared.name,
        family=declared.family,
        metric=declared.metric,
        origin=fetched.origin,
        rows=fetched.rows,
        sha256=fetched.sha256,
        warning=fetched.warning,
        licence=declared.licence,
        citation=declared.citation,
    )
