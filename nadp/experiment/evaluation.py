"""The scores of one curve: every recipe, every repeat, each evaluation on the rows it reads."""

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

_PRIVACY_SAMPLE = 2_000
_LIKELIHOOD_SAMPLE = 200


def scores_on_common(
    evaluation: Evaluation, space: EmbeddingSpace, draw: Floats, recipes: Sequence[Recipe]
) -> list[list[Score]]:
    """Return, as utility_scores does, the scores on the words that every curve releases, marked as such.

    Args:
        evaluation: prepared for those words.
        space: n words.
        draw: (n, d) the base draw.
        recipes: of one curve.
    """
    found = utility_scores(evaluation, space, draw, recipes)
    return [[replace(score, words="common") for score in scores] for scores in found]


def utility_scores(
    evaluation: Evaluation, space: EmbeddingSpace, draw: Floats, recipes: Sequence[Recipe]
) -> list[list[Score]]:
    """Return the scores of one draw under each recipe of one curve.

    Args:
        evaluation: prepared for the words that the space releases.
        space: n words.
        draw: (n, d) the base draw.
        recipes: of one curve.
    """
    rows = evaluation.rows
    every = tracked(recipes, f"benchmarks under {recipes[0].curve.label}", "settings")
    if is_fixed(recipes[0].curve):
        return [evaluation.scores(evaluation.features(table(space, recipe)[rows])) for recipe in every]
    signal = evaluation.features(space.vectors[rows])
    noise = evaluation.features(draw[rows] * weights(space, recipes[0].curve)[rows, None].astype(np.float32))
    return [evaluation.scores(signal + np.float32(recipe.multiplier) * noise) for recipe in every]


def privacy_scores(  # noqa: PLR0913 - what an attack depends on
    space: EmbeddingSpace,
    draw: Floats,
    recipes: Sequence[Recipe],
    *,
    repeat: int,
    seed: int,
    common: npt.NDArray[np.bool_] | None = None,
) -> list[list[Score]]:
    """Return the privacy figures of one draw under each recipe of one curve.

    The first repeat attacks every word, the others a random sample of 2,000; the attack by likelihood a
    sample of 200 each time.

    Args:
        space: n words.
        draw: (n, d) the base draw.
        recipes: of one curve.
        repeat: the number of the draw.
        seed: of the samples.
        common: (n,) words that recovery and overlap are told of once more.
    """
    rng = research_rng(seed, "attack", repeat)
    words = np.flatnonzero(space.released) if repeat == 0 else attacked_words(space, _PRIVACY_SAMPLE, rng)
    if is_fixed(recipes[0].curve):
        return privacy_of_tables(space, (table(space, recipe) for recipe in recipes), words, common)
    amounts, known = scales(space, recipes), law(space, recipes[0].curve)
    found = privacy(space, draw, amounts, words, common)
    if known is None:
        return found
    likely = likelihood_recovery(space, known, draw, amounts, attacked_words(space, _LIKELIHOOD_SAMPLE, rng))
    return [[*scores, score] for scores, score in zip(found, likely, strict=True)]
