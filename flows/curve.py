"""One curve: its draws, a recipe for each epsilon, and the evaluations."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from prefect import flow
from prefect.client.schemas.objects import State
from prefect.futures import PrefectFuture, wait
from prefect.states import Completed, Failed

from flows.heartbeats import heartbeats
from flows.runners import threads
from flows.submissions import Count, Submissions
from flows.units import Units
from nadp.experiment.curves import Curve, Recipe
from nadp.experiment.manifest import Gap
from nadp.experiment.neighbour_words import NeighbourWords
from tasks.evaluation import UTILITY, nearest_words, privacy
from tasks.perturbation import draw, perturb
from tasks.reporting import reason_of
from tasks.sources.benchmarks.fetching import FetchedBenchmark
from tasks.space import Space
from tasks.store.artefacts import Artefact


@dataclass(frozen=True)
class CurveResult:
    """The results of one curve."""

    recipes: list[Recipe]
    scores: list[Artefact]
    failed: list[Gap]
    shown: list[NeighbourWords]
    runs: Count
    units: Units


@flow(
    name="curve",
    flow_run_name="{curve.label}",
    task_runner=threads(),
    persist_result=False,
    validate_parameters=False,
)
@heartbeats
def curve_flow(
    space: Space,
    curve: Curve,
    settings: Sequence[float | None],
    delta: float,
    repeats: int,
    seed: int,
    benchmarks: Sequence[FetchedBenchmark],
    shown: Sequence[str],
    common: Sequence[Space] = (),
    topics: Artefact | None = None,
    *,
    independent: bool = True,
) -> State[CurveResult]:
    """Score one curve: every setting, repeat and evaluation. A failed evaluation does not stop the others."""
    runs = Submissions()
    draws = [] if curve.noise is None else runs.run(draw, space.embeddings, curve.noise, repeats, seed)
    recipes = [f.result() for f in [runs.submit(perturb, space, curve, setting, delta) for setting in settings]]
    evaluations: dict[str, PrefectFuture[Any]] = {
        "privacy": runs.submit(privacy, space, recipes, draws, seed, common, topics)
    }
    for family, evaluate in UTILITY.items():
        family_benchmarks = [benchmark for benchmark in benchmarks if benchmark.family == family]
        if family_benchmarks:
            sides = {"independent": independent} if family == "sentence-pairs" else {}
            evaluations[family] = runs.submit(evaluate, space, recipes, draws, family_benchmarks, common, **sides)
    naming_run = runs.submit(nearest_words, space, recipes, draws, shown)
    wait([*evaluations.values(), naming_run])
    scores, failed = _gathered(curve, evaluations)
    units_per_evaluation = len(recipes) * (len(draws) or 1)
    units = Units(units_per_evaluation * len(evaluations), units_per_evaluation * len(failed))
    shown_words = naming_run.result() if naming_run.state.is_completed() else []
    if not naming_run.state.is_completed():
        failed.append(Gap(f"{curve.label}: nearest-words", reason_of(naming_run.state)))
    count, kind = runs.count(), Failed if failed else Completed
    return kind(message=f"{units}; {count}", data=CurveResult(recipes, scores, failed, shown_words, count, units))


def _gathered(curve: Curve, evaluations: dict[str, PrefectFuture[Any]]) -> tuple[list[Artefact], list[Gap]]:
    """Return the results of the evaluations, and the failed ones."""
    scores, failed = [], []
    for family, future in evaluations.items():
        if future.state.is_completed():
            scores.append(future.result())
        else:
            failed.append(Gap(f"{curve.label}: {family}", reason_of(future.state)))
    return scores, failed
