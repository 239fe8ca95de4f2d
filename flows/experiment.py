"""The experiment: from a GloVe file to scores, figures and a report. Run it with `python -m flows.experiment`."""

if __name__ == "__main__":  # before the slow imports: help and refusals do not need them
    from flows.command_line import main

    main("experiment")

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from prefect import Flow, flow
from prefect.client.schemas.objects import State
from prefect.futures import PrefectFuture, wait
from prefect.logging import get_run_logger
from prefect.states import Completed, Failed
from threadpoolctl import threadpool_limits

from flows.curve import CurveResult, curve_flow
from flows.heartbeats import heartbeats, own_heartbeats
from flows.parameters.experiment import Experiment, Settings, forecast_of, located, settled
from flows.runners import at_once, task_runner, threads
from flows.server import takes_subflows_at_once
from flows.submissions import Count, Submissions
from flows.units import Units
from flows.watching import Watch, watching
from nadp.attacks.overlap_sweep import OverlapAt
from nadp.cli.declared import takes
from nadp.experiment.curves import Curve, curves
from nadp.experiment.manifest import Gap
from nadp.experiment.warm_up import warm_up
from nadp.files.paths import new_folder
from nadp.runtime.versions import versions
from nadp.scores import NO_NOISE
from tasks.embedding import EmbeddingFile, KeptWords, download_glove, frequency_filter_vocab
from tasks.evaluation import overlap_sweep
from tasks.groups import topics_of
from tasks.perturbation import draw
from tasks.reporting import Findings, Shown, reason_of, render_report, write_report
from tasks.sources.benchmarks.fetching import FetchedBenchmark, fetch_benchmark
from tasks.sources.benchmarks.locating import Located
from tasks.sources.places import may_be_model, shown
from tasks.space import GraphTerms, Space, Spaces, spaces
from tasks.store.artefacts import Artefact, artefact
from tasks.store.home import home

_FEW_WORDS = 10_000  # up to here, a curve may wait for the server as long as it computes
_CURVES_OF_FEW_WORDS = 4


@flow(
    name="experiment",
    flow_run_name="experiment {preset}",
    task_runner=threads(),
    persist_result=False,
)
@takes(Experiment)
@heartbeats
def experiment(parameters: Experiment) -> State[str]:
    """Run the chain, the curves and the report; report what was evaluated and what is missing."""
    settings = settled(parameters.model_dump())
    forecast = forecast_of(settings)
    get_run_logger().info("plan: %s", forecast)
    if settings.plan:
        return Completed(message=f"nothing was run; plan: {forecast}", data="")
    # The task runner has a thread, or a worker, for each core
    with (
        threadpool_limits(limits=1),
        task_runner(settings.runner, settings.scheduler) as runner,
        watching() as watch,
        own_heartbeats(),
    ):
        prepared = _prepared(settings)
        watch.expect({curve.label: _expected(settings, prepared, curve) for curve in prepared.curves})
        one_curve = partial(_one_curve, settings, prepared, curve_flow.with_options(task_runner=runner), watch)
        results = at_once(one_curve, prepared.curves, _side_by_side(settings, prepared))
        findings, runs = _findings(settings, prepared, results), Submissions()
        rendered = runs.run(render_report, findings, versions())
        folder = write_report(rendered, _folder(settings), findings.inputs)
    return _end(settings, prepared, results, folder, runs.count())


def meanwhile() -> None:
    """Compile kernels while the server starts, so that a first run need not wait later; later runs skip this."""
    if not (home() / "scores").exists():
        warm_up()


@dataclass(frozen=True)
class Prepared:
    """Everything that the curves of an experiment share."""

    source: EmbeddingFile
    kept: KeptWords
    delta: float
    spaces: Spaces
    curves: list[Curve]
    topics: Artefact
    benchmarks: list[FetchedBenchmark]
    missing: list[Gap]
    sweep: PrefectFuture[list[OverlapAt]]
    runs: Count


def _prepared(settings: Settings) -> Prepared:
    """Run the chain from the files to the embedding spaces."""
    logger, runs = get_run_logger(), Submissions()
    downloading = runs.submit(
        download_glove, settings.embedding, settings.member, settings.sha256, False, settings.strict
    )
    model = downloading.result().tokenizer if may_be_model(settings.embedding) else None
    fetched, missing = _benchmarks(located(settings, model), runs)
    source = downloading.result()
    frequencies = artefact(Path(settings.frequencies)) if settings.frequencies else None
    kept_words = runs.run(frequency_filter_vocab, source, settings.words, fetched, frequencies)
    logger.info("kept %d words: %s", kept_words.words, kept_words.counts)
    graph_terms = GraphTerms(settings.search, settings.recall, settings.n_neighbours, settings.adjacency, settings.seed)
    embedding_spaces = spaces(kept_words, settings.taus, settings.isolated, graph_terms, runs.run)
    delta = settings.delta or 1 / kept_words.words
    draws = runs.run(draw, kept_words.embeddings, "gaussian", settings.repeats, settings.seed)
    sweep = runs.submit(overlap_sweep, next(iter(embedding_spaces.values())), draws)
    sweep.wait()
    topic_list = artefact(Path(settings.topics)) if settings.topics else None
    topics = runs.run(topics_of, kept_words.embeddings, topic_list)
    all_curves = curves(settings.mechanisms, settings.taus, settings.isolated)
    logger.info("delta %.3g; %d curves: %s", delta, len(all_curves), ", ".join(curve.label for curve in all_curves))
    return Prepared(
        source, kept_words, delta, embedding_spaces, all_curves, topics, fetched, missing, sweep, runs.count()
    )


def _benchmarks(places: list[Located], runs: Submissions) -> tuple[list[FetchedBenchmark], list[Gap]]:
    """Fetch the benchmarks; unavailable ones are reported but not fatal."""
    futures = {place.name: runs.submit(fetch_benchmark, place) for place in places}
    wait(list(futures.values()))
    fetched, missing = [], []
    for name, future in futures.items():
        if future.state.is_completed():
            fetched.append(future.result())
        else:
            missing.append(Gap(name, reason_of(future.state)))
            get_run_logger().warning("left out: %s: %s", name, missing[-1].reason)
    return fetched, missing


def _expected(settings: Settings, prepared: Prepared, curve: Curve) -> int:
    """Return the number of units of a curve: privacy and each family, per table. Without noise there is one table."""
    tables = len(settings.values_of(curve)) * (1 if curve.noise is None else settings.repeats)
    return tables * (1 + len({benchmark.family for benchmark in prepared.benchmarks}))


def _side_by_side(settings: Settings, prepared: Prepared) -> int:
    """Return the number of curves at once: one would not keep a cluster busy, nor this machine if its words are few."""
    if settings.runner == "dask":
        return max(1, len(prepared.curves))
    return _CURVES_OF_FEW_WORDS if prepared.kept.words <= _FEW_WORDS and takes_subflows_at_once() else 1


def _one_curve(
    settings: Settings, prepared: Prepared, subflow: Flow[..., State[CurveResult]], watch: Watch, curve: Curve
) -> CurveResult:
    """Run the subflow of a curve. Its failure does not stop the others."""
    state = subflow(
        space_of_curve(prepared.spaces, curve),
        curve,
        settings.values_of(curve),
        prepared.delta,
        settings.repeats,
        settings.seed,
        prepared.benchmarks,
        settings.show,
        [space for (_, policy), space in prepared.spaces.items() if policy == "drop"],
        prepared.topics,
        independent=settings.preset == "demo",
        return_state=True,
    )
    result: Any = state.result(raise_on_failure=False)
    if not isinstance(result, CurveResult):
        expected_units = _expected(settings, prepared, curve)
        result = CurveResult(
            [], [], [Gap(curve.label, reason_of(state))], [], Count(), Units(expected_units, failed=expected_units)
        )
    ignored_by_estimate = result.runs.cached == result.runs.all or curve.mechanism == NO_NOISE
    watch.settle(curve.label, result.units, given=ignored_by_estimate)
    return result


def space_of_curve(spaces: Spaces, curve: Curve) -> Space:
    """Return the space of a curve; for a curve without a graph, one that leaves no word out, if there is one."""
    whole_spaces = [space for (_, policy), space in spaces.items() if policy != "drop"]
    return spaces.get((curve.tau, curve.isolated)) or (whole_spaces or list(spaces.values()))[0]


def _findings(settings: Settings, prepared: Prepared, results: list[CurveResult]) -> Findings:
    # Without the folder: the same report in another one is taken from the cache
    parameters = settings.model_dump(exclude={"out"}) | {
        "delta": prepared.delta,
        "embedding": shown(settings.embedding),
    }
    return Findings(
        parameters,
        prepared.source,
        prepared.kept,
        list(prepared.spaces.values()),
        prepared.curves,
        [recipe for result in results for recipe in result.recipes],
        [file for result in results for file in result.scores],
        prepared.benchmarks,
        prepared.missing,
        _failed(prepared, results),
        [_named(result) for result in results],
        prepared.sweep.result() if prepared.sweep.state.is_completed() else [],
    )


def _failed(prepared: Prepared, results: list[CurveResult]) -> list[Gap]:
    """Return the failed evaluations of curves, and a failed sweep."""
    sweep_state = prepared.sweep.state
    gaps = [] if sweep_state.is_completed() else [Gap("overlap-sweep", reason_of(sweep_state))]
    return gaps + [gap for result in results for gap in result.failed]


def _named(result: CurveResult) -> Shown:
    recipes = [result.recipes[neighbours.recipe] for neighbours in result.shown]
    return [
        (recipe.curve, recipe.setting, neighbours) for recipe, neighbours in zip(recipes, result.shown, strict=True)
    ]


def _folder(settings: Settings) -> str:
    return settings.out or new_folder(settings.preset)


def _end(settings: Settings, prepared: Prepared, results: list[CurveResult], folder: str, last: Count) -> State[str]:
    """Return the final state: failed if an evaluation failed or a benchmark that the user named is missing."""
    failed = [gap.name for gap in _failed(prepared, results)]
    missing = [gap.name for gap in prepared.missing]
    runs = sum((result.runs for result in results), prepared.runs) + last
    units = sum((result.units for result in results), Units())
    sentences = [f"report in {folder}", str(units), str(runs)]
    sentences += [f"failed: {', '.join(failed)}"] if failed else []
    sentences += [f"not evaluated: {', '.join(missing)}"] if missing else []
    kind = Failed if failed or (missing and settings.named_benchmarks) else Completed
    return kind(message="; ".join(sentences), data=folder)
