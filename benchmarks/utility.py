"""All utility tasks of the paper's experiment for each perturbation, compared with the limit for their total time.

python -m benchmarks.utility glove.6B.100d.zip path/to/benchmarks --words 73404 --out utility.json

A perturbation is one mechanism at one epsilon in one draw. As in the flow, families of benchmarks are scored in
parallel, with a thread for each core and single-threaded BLAS. The plain way computes the same scores, but makes the
noisy table and its features each time.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.machine import Clock, arguments, peak_memory, written
from benchmarks.vectors import grown
from benchmarks.without_noise import local_items
from nadp import EmbeddingSpace
from nadp.embeddings import Floats
from nadp.experiment.curves import Curve, Recipe, recipe
from nadp.experiment.evaluation import utility_scores
from nadp.known_words import KnownWords
from nadp.mechanisms import MECHANISMS
from nadp.noise import base_draw, law_named, research_rng
from nadp.runtime.parallel import cores
from nadp.utility.base import Evaluation
from nadp.utility.families import EVALUATIONS
from tasks.sources.benchmarks.catalogue import BENCHMARKS

SETS = ("men", "simlex999", "simverb3500", "sts-b", "mr", "cr", "mpqa", "odd-man-out")
CURVES = (Curve("nadp", 0.1, "exact"), Curve("gaussian", 0.1, "exact"), Curve("mahalanobis"))
PERTURBATIONS = 2_250  # nine curves, fifty epsilons, five repeats
SHORT, LONG = 35, 90  # minutes for all of them: up to 100 dimensions, and beyond


def main() -> None:
    """Measure and print the results."""
    parser = arguments(__doc__)
    parser.add_argument("benchmarks", type=Path)
    parser.add_argument("--epsilons", type=int, default=10)
    given = parser.parse_args()
    clock = Clock()
    with clock.of("neighbours, graph and components"):
        space = EmbeddingSpace.build(grown(given.embedding, given.words), isolated="exact")
    with clock.of("benchmarks"):
        prepared = _prepared(space, str(given.benchmarks))
    epsilons = np.geomspace(0.8, 40, given.epsilons)
    draws = {curve: _draw(space, curve) for curve in CURVES}
    recipes = {curve: [recipe(space, curve, float(e), 1 / len(space)) for e in epsilons] for curve in CURVES}
    with threadpool_limits(limits=1):
        for family, evaluation in prepared.items():
            with clock.of(f"{family} alone"):
                for curve in CURVES:
                    utility_scores(evaluation, space, draws[curve], recipes[curve])
        with clock.of("all at once"):
            _at_once(utility_scores, space, prepared, recipes, draws)
        with clock.of("all at once, the plain way"):
            _at_once(_plain, space, prepared, recipes, draws)
    written(_result(space, clock, len(CURVES) * len(epsilons)), given.out)


def _result(space: EmbeddingSpace, clock: Clock, perturbations: int) -> dict[str, object]:
    """Print and return the figures."""
    dimension = space.embeddings.dimension
    each = clock.seconds["all at once"] / perturbations
    minutes = each * PERTURBATIONS / 60
    found = {
        "words": len(space),
        "dimension": dimension,
        "perturbations measured": perturbations,
        "seconds": clock.seconds,
        "seconds_of_a_perturbation": each,
        "minutes_of_2250_perturbations": minutes,
        "of_the_limit": minutes / (SHORT if dimension <= 100 else LONG),
        "faster_than_plain": clock.seconds["all at once, the plain way"] / clock.seconds["all at once"],
        "peak_memory_gb": peak_memory() / 1e9,
    }
    print({name: round(value, 3) for name, value in found.items() if isinstance(value, float)})
    return found


def _prepared(space: EmbeddingSpace, folder: str) -> dict[str, Evaluation]:
    found = {}
    for family in dict.fromkeys(BENCHMARKS[name].family for name in SETS):
        mine = [local_items(name, folder) for name in SETS if BENCHMARKS[name].family == family]
        found[family] = EVALUATIONS[family](mine, KnownWords.of(space))
    return found


def _draw(space: EmbeddingSpace, curve: Curve) -> Floats:
    key = str(curve.noise)
    return base_draw(law_named(key), space.embeddings, research_rng(0, key, 0))


def _at_once(
    score: Callable[[Evaluation, EmbeddingSpace, Floats, Sequence[Recipe]], object],
    space: EmbeddingSpace,
    prepared: dict[str, Evaluation],
    recipes: dict[Curve, list[Recipe]],
    draws: dict[Curve, Floats],
) -> None:
    """Score every family under every curve, on all cores."""
    with ThreadPoolExecutor(cores()) as pool:
        running = [
            pool.submit(score, evaluation, space, draws[curve], recipes[curve])
            for curve in CURVES
            for evaluation in prepared.values()
        ]
        for future in running:
            future.result()


def _plain(evaluation: Evaluation, space: EmbeddingSpace, draw: Floats, recipes: Sequence[Recipe]) -> None:
    """Make the noisy vectors of all words at every epsilon, and score them."""
    for one in recipes:
        mechanism = MECHANISMS[one.curve.mechanism]()
        scale = mechanism.noise_scale(space, one.epsilon, one.delta)[:, None].astype(np.float32)
        noisy = space.vectors + scale * draw
        evaluation.scores(evaluation.features(noisy[evaluation.rows]))


if __name__ == "__main__":
    main()
