"""The scores of one curve: every recipe, every repeat, each evaluation on the rows it reads."""

from collections.abc import Sequence

import numpy as np

from nadp.audit.privacy import attacked_words, likelihood_recovery, privacy
from nadp.curves import Recipe, scales, weights
from nadp.embeddings import Floats
from nadp.mechanisms import MECHANISMS, research_rng
from nadp.scores import NO_NOISE, Score
from nadp.space import EmbeddingSpace
from nadp.utility.base import Evaluation

_PRIVACY_SAMPLE = 2_000
_LIKELIHOOD_SAMPLE = 200


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
    signal = evaluation.features(space.vectors[rows])
    noise = evaluation.features(draw[rows] * weights(space, recipes[0].curve)[rows, None].astype(np.float32))
    return [evaluation.scores(signal + np.float32(recipe.multiplier) * noise) for recipe in recipes]


def privacy_scores(
    space: EmbeddingSpace, draw: Floats, recipes: Sequence[Recipe], repeat: int, seed: int
) -> list[list[Score]]:
    """Return the privacy figures of one draw under each recipe of one curve.

    The first repeat attacks every word, the others a random sample of 2,000; the attack by likelihood, where the noise
    is Gaussian, a sample of 200 each time.
    """
    rng = research_rng(seed, "attack", repeat)
    words = np.flatnonzero(space.released) if repeat == 0 else attacked_words(space, _PRIVACY_SAMPLE, rng)
    amounts = scales(space, recipes)
    found = privacy(space, draw, amounts, words)
    if recipes[0].curve.mechanism == NO_NOISE or MECHANISMS[recipes[0].curve.mechanism].noise != "gaussian":
        return found
    likely = likelihood_recovery(space, draw, amounts, attacked_words(space, _LIKELIHOOD_SAMPLE, rng))
    return [[*scores, score] for scores, score in zip(found, likely, strict=True)]
