"""An experiment as plain function calls without Prefect: the baseline for the flow."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from flows.parameters.experiment import Settings, settled
from nadp.experiment.curves import Curve, Recipe, curves
from nadp.experiment.manifest import Gap
from nadp.experiment.neighbour_words import NeighbourWords
from nadp.runtime.parallel import cores
from nadp.runtime.versions import versions
from tasks.embedding import download_glove, frequency_filter_vocab
from tasks.evaluation import UTILITY, nearest_words, overlap_sweep, privacy
from tasks.perturbation import draw, perturb
from tasks.reporting import Findings, report_on
from tasks.sources.benchmarks.fetching import FetchedBenchmark, fetch_benchmark
from tasks.sources.benchmarks.locating import locate
from tasks.space import GraphTerms, Space, spaces
from tasks.store.artefacts import Artefact


def experiment(parameters: dict[str, Any]) -> None:
    """Run an experiment with the flow's parameters; like the flow, evaluate on one thread per core.

    Benchmarks that are not available are left out. The policy that leaves words out is not supported here.
    """
    settings = settled(parameters)
    with threadpool_limits(limits=1), ThreadPoolExecutor(cores()) as pool:
        source = download_glove.fn(settings.embedding, settings.member, settings.sha256)
        found = list(pool.map(_fetched, settings.benchmarks, [settings.benchmarks_dir] * len(settings.benchmarks)))
        benchmarks = [one for one in found if isinstance(one, FetchedBenchmark)]
        missing = [one for one in found if isinstance(one, Gap)]
        kept = frequency_filter_vocab.fn(source, settings.words, benchmarks)
        how = GraphTerms(settings.search, settings.recall, settings.n_neighbours, settings.adjacency, settings.seed)
        made = spaces(kept, settings.taus, settings.isolated, how, lambda task, *arguments: task.fn(*arguments))
        any_space, delta = next(iter(made.values())), 1 / kept.words
        sweep = overlap_sweep.fn(any_space, draw.fn(kept.embeddings, "gaussian", settings.repeats, settings.seed))
        compared = curves(settings.mechanisms, settings.taus, settings.isolated)
        results = []
        for curve in compared:
            space = next((made[at] for at in made if at == (curve.tau, curve.isolated)), any_space)
            results.append(_curve(settings, (space, curve, delta), benchmarks, pool))
    findings = Findings(
        settings.model_dump() | {"delta": delta},
        source,
        kept,
        list(made.values()),
        compared,
        [recipe for recipes, _, _ in results for recipe in recipes],
        [file for _, files, _ in results for file in files],
        benchmarks,
        missing,
        [],
        [[(r[s.recipe].curve, r[s.recipe].epsilon, s) for s in shown] for r, _, shown in results],
        sweep,
    )
    report_on(findings, versions()).save(Path(settings.out or "."))


def _fetched(name: str, folder: str | None) -> FetchedBenchmark | Gap:
    try:
        return fetch_benchmark.fn(locate(name, folder))
    except OSError as error:  # cannot be reached
        return Gap(name, str(error))


def _curve(
    settings: Settings, what: tuple[Space, Curve, float], benchmarks: list[FetchedBenchmark], pool: ThreadPoolExecutor
) -> tuple[list[Recipe], list[Artefact], list[NeighbourWords]]:
    """Return the results of a curve's flow: recipes, files of scores, and the nearest words of some words."""
    space, curve, delta = what
    draws = [] if curve.noise is None else draw.fn(space.embeddings, curve.noise, settings.repeats, settings.seed)
    recipes = list(pool.map(lambda amount: perturb.fn(space, curve, amount, delta), settings.amounts(curve)))
    running = [pool.submit(privacy.fn, space, recipes, draws, settings.seed)]
    for family_of, evaluate in UTILITY.items():
        mine = [benchmark for benchmark in benchmarks if benchmark.family == family_of]
        if mine:
            running.append(pool.submit(evaluate.fn, space, recipes, draws, mine))
    naming = pool.submit(nearest_words.fn, space, recipes, draws, settings.show)
    return recipes, [future.result() for future in running], naming.result()
