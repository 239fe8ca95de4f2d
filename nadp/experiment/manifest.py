"""The manifest of an experiment: inputs, parameters and missing parts. With the scores, it determines the report."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nadp.attacks.overlap_sweep import OverlapAt
from nadp.errors import FormatError, InputError
from nadp.experiment.curves import Curve, Recipe
from nadp.experiment.facts import GraphFacts, SpaceFacts
from nadp.files.records import read_json, record_of, strict_json
from nadp.utility.declaration import Family
from nadp.vocabulary import WordCounts

VERSION = 2
"""Version of the manifest's schema; manifests of nadp 0.1 have none."""


@dataclass(frozen=True)
class EmbeddingFacts:
    """The embedding file, and the counts of its words by the reason for keeping them."""

    name: str
    sha256: str
    bytes: int
    member: str | None
    counts: WordCounts


@dataclass(frozen=True)
class BenchmarkFacts:
    """A benchmark that was evaluated: its origin, its rows, and a warning ("" for none)."""

    name: str
    family: Family
    metric: str
    origin: str
    rows: int
    sha256: str
    warning: str
    licence: str
    citation: str


@dataclass(frozen=True)
class Gap:
    """A part of the run without a result, and the reason."""

    name: str
    reason: str


@dataclass(frozen=True)
class ShownWord:
    """The words nearest to one word's vector under one recipe; see nadp.experiment.neighbour_words.

    Attributes:
        curve: curve of the recipe.
        setting: setting of the recipe, a value of the curve's parameter; None without noise.
        word: the word that the vector belongs to.
        nearest: the nearest words, the nearest first.
        itself: whether the word itself is among them.
    """

    curve: Curve
    setting: float | None
    word: str
    nearest: tuple[str, ...]
    itself: bool


@dataclass(frozen=True)
class Manifest:
    """The record of an experiment.

    Attributes:
        preset: the source of its parameters.
        delta: probability of failure.
        repeats: number of noise draws.
        parameters: all parameters with their final values.
        embedding: the embedding file.
        space: words and neighbour lists.
        graphs: one graph for each tau and policy.
        curves: the compared curves, the vectors without noise first.
        recipes: the recipes of all curves.
        benchmarks: the evaluated benchmarks.
        missing: benchmarks that could not be read.
        failed: evaluations that failed.
        shown: nearest words of some words.
        overlap_sweep: the distribution of the overlap as Gaussian noise grows.
        versions: versions of the software.
        version: version of the manifest's schema.
    """

    preset: str
    delta: float
    repeats: int
    parameters: dict[str, Any]
    embedding: EmbeddingFacts
    space: SpaceFacts
    graphs: tuple[GraphFacts, ...]
    curves: tuple[Curve, ...]
    recipes: tuple[Recipe, ...]
    benchmarks: tuple[BenchmarkFacts, ...]
    missing: tuple[Gap, ...]
    failed: tuple[Gap, ...]
    shown: tuple[ShownWord, ...]
    overlap_sweep: tuple[OverlapAt, ...]
    versions: dict[str, str]
    version: int = VERSION

    @property
    def noisy(self) -> list[Curve]:
        """The curves with noise."""
        return [curve for curve in self.curves if curve.noisy]

    @property
    def epsilons(self) -> list[float]:
        """The privacy budgets that were run, in ascending order."""
        return sorted({recipe.epsilon for recipe in self.recipes if recipe.epsilon is not None})

    @property
    def main_metrics(self) -> dict[str, str]:
        """The declared main metric of each benchmark."""
        return {benchmark.name: benchmark.metric for benchmark in self.benchmarks}

    @property
    def own_tasks(self) -> list[str]:
        """The benchmarks that are not built in but declared by the user of the run."""
        built_in = self.parameters.get("benchmarks", ())
        declared = self.benchmarks if self.parameters.get("task") else ()
        return [benchmark.name for benchmark in declared if benchmark.name not in built_in]

    def to_json(self) -> str:
        """Return the manifest as JSON."""
        return strict_json(self)


def read_manifest(path: str | Path) -> Manifest:
    """Return the manifest in a file.

    Raises:
        InputError: if there is no such file.
        FormatError: if it is not a manifest, or has another version; the message gives the reason.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"no manifest {path}")
    content = read_json(path)
    version = content.get("version") if isinstance(content, dict) else None
    if version != VERSION:
        description = "no version, as nadp 0.1 wrote it" if version is None else f"version {version!r}"
        raise FormatError(f"{path}: a manifest with {description}; this nadp reads version {VERSION}: run it again")
    return record_of(Manifest, content, str(path))
