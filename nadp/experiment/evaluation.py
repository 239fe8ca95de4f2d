"""The scores of one curve: each recipe, repeat and evaluation."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from nadp.embeddings import Floats
from nadp.experiment.curves import Recipe, is_fixed, law, scales, table, weights
from nadp.experiment.privacy import attacked_words, likelihood_recovery, privacy, privacy_of_tables
from nadp.noise import research_rng
from nadp.runtime.progress import tracked
from nadp.scores import Score
from nadp.space import EmbeddingSpace
from nadp.utility.base import Evaluation
from nadp.utility.sentence_similarity import SentenceSimilarity

_PRIVACY_SAMPLE = 2_000
_LIKELIHOOD_SAMPLE = 1_000
_FLOORS = 3  # draws of random vectors


def scores_on_common(
    evaluation: Evaluation, space: EmbeddingSpace, draw: Floats, recipes: Sequence[Recipe], twin: Floats | None = None
) -> list[list[Score]]:
    """Return utility_scores on the words that every curve releases, marked as "common".

    Args:
        evaluation: an evaluation that is prepared for these words.
        space: a space of n words.
        draw: (n, d) the base draw.
        recipes: the recipes of one curve.
        twin: see utility_scores.
    """
    scores_by_recipe = utility_scores(evaluation, space, draw, recipes, twin)
    return [[replace(score, words="common") for score in scores] for scores in scores_by_recipe]


def utility_scores(
    evaluation: Evaluation, space: EmbeddingSpace, draw: Floats, recipes: Sequence[Recipe], twin: Floats | None = None
) -> list[list[Score]]:
    """Return the scores of one draw under each recipe of one curve; scores without noise include their floors.

    If both sentences of a pair come from one noisy table, shared words share their noise, and the score measures the
    overlap of the words. With a twin, the second sentence of each pair gets an independent draw.

    Args:
        evaluation: an evaluation that is prepared for the words that the space releases.
        space: a space of n words.
        draw: (n, d) the base draw.
        recipes: the recipes of one curve.
        twin: (n, d) another base draw, for the second sentences of pairs; None to use one table for both sentences.
    """
    rows = evaluation.rows
    if not recipes[0].curve.noisy:
        return [_with_floors(evaluation, space.vectors[rows], independent=twin is not None) for _ in recipes]
    tracked_recipes = tracked(recipes, f"benchmarks under {recipes[0].curve.label}", "settings")
    if is_fixed(recipes[0].curve):
        return [evaluation.scores(evaluation.features(table(space, recipe)[rows])) for recipe in tracked_recipes]
    signal = evaluation.features(space.vectors[rows])
    word_weights = weights(space, recipes[0].curve)[rows, None].astype(np.float32)
    noise = _sided(evaluation, draw[rows] * word_weights, None if twin is None else twin[rows] * word_weights)
    return [evaluation.scores(signal + np.float32(recipe.multiplier) * noise) for recipe in tracked_recipes]


def _sided(evaluation: Evaluation, first: Floats, second: Floats | None) -> Floats:
    """Return the features (f, d) of vectors (m, d); second sentences of pairs use the other vectors, if given."""
    features = evaluation.features(first)
    if second is not None and isinstance(evaluation, SentenceSimilarity):
        features[evaluation.second_side] = evaluation.features(second)[evaluation.second_side]
    return features


def _with_floors(evaluation: Evaluation, vectors: Floats, *, independent: bool) -> list[Score]:
    """Return the scores of vectors (m, d) with their floors: mean scores of some tables of random vectors."""
    rng, floors = research_rng(0, "floor", 0), list[list[float]]()
    for _ in range(_FLOORS):
        first, second = (rng.standard_normal(vectors.shape, dtype=np.float32) for _ in range(2))
        random_scores = evaluation.scores(_sided(evaluation, first, second if independent else None))
        floors.append([score.value for score in random_scores])
    clean_scores = evaluation.scores(evaluation.features(vectors))
    return [replace(score, floor=float(f)) for score, f in zip(clean_scores, np.mean(floors, axis=0), strict=True)]


def privacy_scores(  # noqa: PLR0913 - the inputs of an attack
    space: EmbeddingSpace,
    draw: Floats,
    recipes: Sequence[Recipe],
    *,
    repeat: int,
    seed: int,
    common: npt.NDArray[np.bool_] | None = None,
) -> list[list[Score]]:
    """Return the privacy figures of one draw under each recipe of one curve.

    The first repeat attacks every word, the others attack a random sample of 2,000. The likelihood attack always uses a
    sample of 1,000. "recovery-strongest" is the larger recovery of the two attacks.

    Args:
        space: a space of n words.
        draw: (n, d) the base draw.
        recipes: the recipes of one curve.
        repeat: the number of the draw.
        seed: seed of the samples.
        common: (n,) the words for which recovery and overlap are also computed separately.
    """
    rng = research_rng(seed, "attack", repeat)
    words = np.flatnonzero(space.released) if repeat == 0 else attacked_words(space, _PRIVACY_SAMPLE, rng)
    if is_fixed(recipes[0].curve):
        tables = (table(space, recipe) for recipe in recipes)
        return [_with_strongest(scores) for scores in privacy_of_tables(space, tables, words, common)]
    noise_scales, noise_law = scales(space, recipes), law(space, recipes[0].curve)
    scores_by_recipe = privacy(space, draw, noise_scales, words, common)
    if noise_law is None:
        return [_with_strongest(scores) for scores in scores_by_recipe]
    likelihood_scores = likelihood_recovery(
        space, noise_law, draw, noise_scales, attacked_words(space, _LIKELIHOOD_SAMPLE, rng)
    )
    return [
        _with_strongest([*scores, score]) for scores, score in zip(scores_by_recipe, likelihood_scores, strict=True)
    ]


def _with_strongest(scores: list[Score]) -> list[Score]:
    """Return scores with the recovery by the strongest attack added, for each set of attacked words."""
    attacks = [score for score in scores if score.metric in ("recovery-top1", "recovery-likelihood")]
    strongest_by_words = {}
    for words in dict.fromkeys(score.words for score in attacks):
        attacks_on_words = [score for score in attacks if score.words == words or score.metric == "recovery-likelihood"]
        strongest_by_words[words] = replace(
            max(attacks_on_words, key=lambda score: score.value), metric="recovery-strongest", words=words
        )
    return [*scores, *strongest_by_words.values()]
