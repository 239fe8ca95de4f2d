"""The scores of one curve: every recipe, every repeat, each evaluation on the rows it reads."""

from collections.abc import Sequence

import numpy as np

from nadp.audit.privacy import attacked_words, privacy
from nadp.curves import Recipe, scales, weights
from nadp.embeddings import Floats
from nadp.mechanisms import research_rng
from nadp.scores import Score
from nadp.space import EmbeddingSpace
from nadp.utility.base import Evaluation

_PRIVACY_SAMPLE = 2_000


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

    The first repeat attacks every word, the others a random sample of 2,000.
    """
    rng = research_rng(seed, "attack", repeat)
    words = np.flatnonzero(space.released) if repeat == 0 else attacked_words(space, _PRIVACY_SAMPLE, rng)
    return privacy(space, draw, scales(space, recipes), words)
