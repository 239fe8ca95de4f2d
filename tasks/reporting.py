"""The end of a run: its files, and the report as an artifact of the flow run."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from prefect import task
from prefect.artifacts import create_markdown_artifact
from prefect.client.schemas.objects import State

from nadp.attacks.overlap_sweep import OverlapAt
from nadp.experiment.curves import Curve, Recipe
from nadp.experiment.neighbour_words import NeighbourWords
from nadp.report.facts import curve_facts, embedding_facts, graph_facts
from nadp.report.files import report as report_of
from nadp.runtime.versions import versions
from tasks.embedding import EmbeddingFile, Kept
from tasks.sources.benchmarks.catalogue import BENCHMARKS
from tasks.sources.benchmarks.fetching import Fetched
from tasks.space import Space, space_of
from tasks.store.artefacts import Artefact
from tasks.store.score_store import scores_in

Shown = list[tuple[str, float | None, NeighbourWords]]


@dataclass(frozen=True)
class Gap:
    """A part of the run that there is no result of, and why."""

    name: str
    reason: str


def reason_of(state: State[Any]) -> str:
    """Return why a run failed, in the words of its error."""
    if not state.is_final():
        return "its worker died, and so did those that took over"
    error = state.result(raise_on_failure=False)
    return str(error) if isinstance(error, Exception) and str(error) else str(state.message or state.name)


@dataclass(frozen=True)
class Findings:
    """All that the parts of an experiment returned.

    Attributes:
        parameters: as resolved.
        source: the embedding file.
        kept: the kept words.
        spaces: one for each graph and policy.
        curves: what was compared.
        recipes: of all curves.
        scores: files of scores.
        benchmarks: those that were fetched.
        missing: those that were not.
        failed: evaluations that failed.
        shown: the nearest words of some words, for each curve: its label, epsilon, and what was found.
        sweep: the distribution of the overlap as Gaussian noise grows.
    """

    parameters: Mapping[str, Any]
    source: EmbeddingFile
    kept: Kept
    spaces: Sequence[Space]
    curves: Sequence[Curve]
    recipes: Sequence[Recipe]
    scores: Sequence[Artefact]
    benchmarks: Sequence[Fetched]
    missing: Sequence[Gap]
    failed: Sequence[Gap]
    shown: Sequence[Shown]
    sweep: Sequence[OverlapAt]


@task(name="report", task_run_name="report")
def write_report(findings: Findings, out: str) -> str:
    """Write all files of the report to a folder and return its path."""
    folder = Path(out).expanduser().absolute()
    markdown = report_in(folder, findings)
    create_markdown_artifact(key="report", markdown=markdown, description=f"Report of {folder}")
    return str(folder)


def report_in(folder: Path, findings: Findings) -> str:
    """Write all files of the report to a folder and return its text."""
    manifest = manifest_of(findings)
    words = manifest["space"]["words"]
    scores = [score for file in findings.scores for score in scores_in(file.local())]
    for recipe in findings.recipes:
        c = recipe.curve
        scores += [s.at(c.mechanism, c.tau, c.isolated, recipe.epsilon, 0) for s in recipe.scores(words)]
    made = report_of(scores, manifest)
    made.save(folder)
    return made.markdown


def manifest_of(findings: Findings) -> dict[str, Any]:
    """Return what was run, as plain values: inputs with their hashes, parameters, versions, counts."""
    spaces = [space_of(space) for space in findings.spaces]
    return {
        "parameters": dict(findings.parameters),
        "embedding": {
            "name": findings.source.name,
            "sha256": findings.source.file.sha256,
            "bytes": findings.source.file.size,
            "member": findings.source.member,
            "counts": dict(findings.kept.counts),
        },
        "space": embedding_facts(spaces[0]),
        "graphs": [asdict(graph_facts(space)) for space in spaces],
        "curves": [curve_facts(curve) for curve in findings.curves],
        "recipes": [asdict(recipe) for recipe in findings.recipes],
        "benchmarks": [
            {
                "name": b.name,
                "family": b.family,
                "origin": b.origin,
                "rows": b.rows,
                "sha256": b.file.sha256,
                "warning": b.warning,
                "licence": BENCHMARKS[b.name].licence,
                "citation": BENCHMARKS[b.name].citation,
            }
            for b in findings.benchmarks
        ],
        "missing": [asdict(gap) for gap in findings.missing],
        "failed": [asdict(gap) for gap in findings.failed],
        "shown": [
            {"curve": label, "epsilon": epsilon, "word": found.word, "nearest": found.nearest, "itself": found.itself}
            for shown in findings.shown
            for label, epsilon, found in shown
        ],
        "overlap_sweep": [asdict(at) for at in findings.sweep],
        "versions": versions(),
    }
