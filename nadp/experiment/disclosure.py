"""What a release reveals about a word beyond its identity, for one draw of noise at many scales and for fixed tables.

All words have equal weight, because a table holds each word once. All words except the first 150 are content words. For
noise, the figures come from a sample of 100 words of each draw (fewer if there are many words: 27 of 73,404). For a
fixed table, they are exact.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import numpy.typing as npt

from nadp.attacks.disclosure import Background, Disclosure, content_words, disclosed, disclosed_by_groups
from nadp.attacks.posterior import NoisyWords
from nadp.embeddings import Floats, Ids
from nadp.experiment.curves import Recipe, is_fixed, law, scales, table
from nadp.experiment.metrics import sample_of
from nadp.noise import research_rng
from nadp.runtime.progress import tracked
from nadp.scores import Score
from nadp.space import EmbeddingSpace

Floats64 = npt.NDArray[np.float64]
_METRICS = {
    "r2": "disclosure-r2",
    "bits": "disclosure-bits",
    "mean_rank": "disclosure-mean-rank",
    "content_recovery": "disclosure-content-recovery",
    "one_topic": "disclosure-one-topic",
}


def disclosure_scores(  # noqa: PLR0913 - the inputs of an attack
    space: EmbeddingSpace,
    draw: Floats,
    recipes: Sequence[Recipe],
    *,
    repeat: int,
    seed: int,
    topics: Ids | None = None,
) -> list[list[Score]]:
    """Return the disclosure about words under each recipe of one curve.

    Metrics of "privacy": "disclosure-r2", "-bits", "-mean-rank", "-content-recovery" and "-one-topic"; see
    nadp.attacks.disclosure.Disclosure. The last two are NaN without content words and without topics, respectively.

    Args:
        space: a space of n words.
        draw: (n, d) the base draw.
        recipes: the recipes of one curve.
        repeat: the number of the draw.
        seed: seed of the sample.
        topics: (n,) the topic of each word; unknown by default.
    """
    rows = np.flatnonzero(space.released)
    known = _background(space, rows, topics)
    curve = recipes[0].curve
    if is_fixed(curve):
        tracked_recipes = tracked(recipes, f"disclosed by {curve.label}", "settings")
        return [
            _scores(disclosed_by_groups(_row_numbers(table(space, recipe)[rows]), known), space)
            for recipe in tracked_recipes
        ]
    sample = np.sort(research_rng(seed, "disclosure", repeat).permutation(len(rows))[: sample_of(len(rows))])
    noisy = NoisyWords(law(space, curve), known.vectors, known.prior, space.embeddings.points.of_word[rows])
    noise = draw[rows[sample]]
    return [
        _scores(disclosed(sample, partial(_posterior, noisy, sample, noise, scale[rows]), known), space)
        for scale in tracked(scales(space, recipes), f"disclosed by {curve.label}", "settings")
    ]


def _posterior(noisy: NoisyWords, words: Ids, noise: Floats, scale: Floats64, block: slice) -> Floats64:
    return noisy.posterior(words[block], noise[block], scale)


def _background(space: EmbeddingSpace, rows: Ids, topics: Ids | None) -> Background:
    """Return the public knowledge about the released words, which are all equally probable."""
    content = content_words(-np.arange(len(space), dtype=np.float64))[rows]
    prior = np.full(len(rows), 1 / len(rows))
    return Background(space.vectors[rows], prior, content, None if topics is None else topics[rows])


def _row_numbers(vectors: Floats) -> Ids:
    """Return a number for each row of a table (n, d), (n,); equal rows have equal numbers."""
    row_bytes = np.ascontiguousarray(vectors + np.float32(0)).view(np.dtype((np.void, vectors.shape[1] * 4))).ravel()
    return np.unique(row_bytes, return_inverse=True)[1].astype(np.int64)


def _scores(disclosure: Disclosure, space: EmbeddingSpace) -> list[Score]:
    items = disclosure.words or int(space.released.sum())
    template = Score("privacy", "", 0.0, items, items / len(space))
    return [replace(template, metric=metric, value=getattr(disclosure, name)) for name, metric in _METRICS.items()]
