"""The evaluations of a curve: each scores all recipes over all draws."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np
import numpy.typing as npt
from prefect import task

from nadp.attacks.overlap_sweep import OverlapAt
from nadp.attacks.overlap_sweep import overlap_sweep as sweep_of
from nadp.embeddings import Floats
from nadp.experiment.curves import Recipe
from nadp.experiment.disclosure import disclosure_scores
from nadp.experiment.evaluation import privacy_scores, scores_on_common, utility_scores
from nadp.experiment.neighbour_words import NeighbourWords, neighbour_words
from nadp.experiment.privacy import attacked_words
from nadp.files.arrays import load_topics
from nadp.known_words import KnownWords
from nadp.noise import research_rng
from nadp.runtime.progress import Stage
from nadp.scores import Score
from nadp.utility.base import Evaluation
from nadp.utility.declaration import Family
from nadp.utility.families import EVALUATIONS
from tasks.perturbation import Draw, noise_of, twin_of
from tasks.sources.benchmarks.fetching import FetchedBenchmark, items_of
from tasks.space import Space, space_of
from tasks.store.artefacts import Artefact, loaded
from tasks.store.caching import CACHED
from tasks.store.score_store import ScoreStore, stored_scores

_SWEPT = 2_000  # words
UNIT = "units"
"""The unit of an evaluation's progress: its scores at one epsilon of a curve, in one repeat."""

Compute = Callable[[Floats, Draw | None, int, Sequence[Recipe]], list[list[Score]]]


@task(name="utility", task_run_name="utility {recipes[0].curve.label}", **CACHED)
def utility(
    space: Space,
    recipes: Sequence[Recipe],
    draws: Sequence[Draw],
    benchmarks: Sequence[FetchedBenchmark],
    common: Sequence[Space] = (),
    *,
    independent: bool = False,
) -> Artefact:
    """Return a file with the scores of benchmarks of one family.

    If `independent`, each side of a pair has its own draw.
    """
    family = benchmarks[0].family
    prepare = partial(EVALUATIONS[family], [items_of(benchmark) for benchmark in benchmarks])
    return _evaluated(_NAMES[family], prepare, space, recipes, draws, benchmarks, common, independent=independent)


_NAMES: dict[Family, str] = {
    "word-pairs": "word-similarity",
    "sentence-pairs": "sentence-similarity",
    "labelled-texts": "classification",
    "odd-one-out": "odd-man-out",
    "labelled-rows": "row-classification",
    "row-pairs": "row-similarity",
    "neighbours": "neighbours-kept",
}
UTILITY = {
    family: utility.with_options(name=name, task_run_name=f"{name} {{recipes[0].curve.label}}")
    for family, name in _NAMES.items()
}
"""The task of each family of benchmarks, by name."""


@task(name="privacy", task_run_name="privacy {recipes[0].curve.label}", **CACHED)
def privacy(
    space: Space,
    recipes: Sequence[Recipe],
    draws: Sequence[Draw],
    seed: int,
    common: Sequence[Space] = (),
    topics: Artefact | None = None,
) -> Artefact:
    """Return a file with the privacy scores, and with what is disclosed beyond identity."""
    embedding_space = space_of(space)
    shared = _released(space, common) if common else None

    def compute(noise: Floats, _: Draw | None, repeat: int, batch: Sequence[Recipe]) -> list[list[Score]]:
        known = None if topics is None else loaded(topics, load_topics)
        attack_scores = privacy_scores(embedding_space, noise, batch, repeat=repeat, seed=seed, common=shared)
        disclosure = disclosure_scores(embedding_space, noise, batch, repeat=repeat, seed=seed, topics=known)
        return [a + b for a, b in zip(attack_scores, disclosure, strict=True)]

    return _scored(
        "privacy", ScoreStore(__name__, "privacy", space, seed, common, topics), space, recipes, draws, compute
    )


@task(name="nearest-words", task_run_name="nearest-words {recipes[0].curve.label}", **CACHED)
def nearest_words(
    space: Space, recipes: Sequence[Recipe], draws: Sequence[Draw], words: Sequence[str]
) -> list[NeighbourWords]:
    """Return the nearest words of some words under each recipe, in the first draw (Table 1)."""
    embedding_space = space_of(space)
    noise = noise_of(space.embeddings, draws[0]) if draws else embedding_space.vectors
    return neighbour_words(embedding_space, noise, recipes, words)


@task(name="overlap-sweep", task_run_name="overlap-sweep", **CACHED)
def overlap_sweep(space: Space, draws: Sequence[Draw]) -> list[OverlapAt]:
    """Return the distribution of the overlap as Gaussian noise grows, for a sample of words (appendix B)."""
    embedding_space = space_of(space)
    words = attacked_words(embedding_space, _SWEPT, research_rng(draws[0].seed, "sweep", 0))
    return sweep_of(embedding_space, noise_of(space.embeddings, draws[0]), words)


def _evaluated(
    family: str,
    prepare: Callable[[KnownWords], Evaluation],
    space: Space,
    recipes: Sequence[Recipe],
    draws: Sequence[Draw],
    benchmarks: Sequence[FetchedBenchmark],
    common: Sequence[Space],
    *,
    independent: bool = False,
) -> Artefact:
    """Return a file with the scores of benchmarks, and with their scores on the words that all spaces release."""
    embedding_space = space_of(space)
    evaluation = prepare(KnownWords.of(embedding_space))
    shared = prepare(KnownWords(embedding_space.embeddings, _released(space, common))) if common else None

    def compute(noise: Floats, draw: Draw | None, _: int, batch: Sequence[Recipe]) -> list[list[Score]]:
        twin = twin_of(space.embeddings, draw) if draw and independent else noise if independent else None
        released_scores = utility_scores(evaluation, embedding_space, noise, batch, twin)
        if shared is None:
            return released_scores
        return [
            a + b
            for a, b in zip(released_scores, scores_on_common(shared, embedding_space, noise, batch, twin), strict=True)
        ]

    files = [(b.benchmark, b.tokenizer, b.files) for b in benchmarks]
    store = ScoreStore(__name__, "utility", space, files, common, independent)
    return _scored(family, store, space, recipes, draws, compute)


def _released(space: Space, common: Sequence[Space]) -> npt.NDArray[np.bool_]:
    """Return which words a space and all the other spaces release, (n,)."""
    return np.logical_and.reduce([space_of(other).released for other in (space, *common)])


def _scored(
    family: str, store: ScoreStore, space: Space, recipes: Sequence[Recipe], draws: Sequence[Draw], compute: Compute
) -> Artefact:
    """Return a file with the scores of all draws; without draws (no noise) the vectors are scored once."""
    scored_draws: list[Draw | None] = list(draws) or [None]
    already_scored = sum(store.present(recipes, draw) for draw in scored_draws)
    curve = recipes[0].curve.label
    with Stage(f"{family} {curve}", len(recipes) * len(scored_draws), UNIT, given=already_scored, of=curve) as stage:
        return stored_scores(list(_all_scores(stage, store, space, recipes, scored_draws, compute)))


def _all_scores(
    stage: Stage,
    store: ScoreStore,
    space: Space,
    recipes: Sequence[Recipe],
    draws: Sequence[Draw | None],
    compute: Compute,
) -> Iterator[Score]:
    for repeat, draw in enumerate(draws):

        def score(batch: Sequence[Recipe], repeat: int = repeat, draw: Draw | None = draw) -> list[list[Score]]:
            noise = noise_of(space.embeddings, draw) if draw else space_of(space).vectors
            scores = compute(noise, draw, repeat, batch)
            stage.advance(len(batch))
            return scores

        yield from store.scores(recipes, repeat, draw, score)
