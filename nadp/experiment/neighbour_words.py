"""The nearest words of a few words before and after the noise (Table 1)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nadp.embeddings import Floats
from nadp.experiment.curves import Recipe, is_fixed, scales, table
from nadp.scores import NO_NOISE
from nadp.search.decoding import nearest_points, nearest_to_noisy
from nadp.space import EmbeddingSpace


@dataclass(frozen=True)
class NeighbourWords:
    """The words nearest to one noisy vector.

    Attributes:
        word: the word that the vector belongs to.
        recipe: index of the recipe among the requested ones.
        nearest: the nearest words, the nearest first; without noise, the word itself is left out.
        itself: whether the word itself is among them, so that the noise did not hide it.
    """

    word: str
    recipe: int
    nearest: tuple[str, ...]
    itself: bool


def neighbour_words(
    space: EmbeddingSpace, draw: Floats, recipes: Sequence[Recipe], words: Sequence[str], count: int = 3
) -> list[NeighbourWords]:
    """Return the nearest words of some words under each recipe of one curve; words that are not released are left out.

    Args:
        space: a space of n words.
        draw: (n, d) the base draw.
        recipes: the recipes of one curve.
        words: the words, looked up unchanged, then in lower case.
        count: number of nearest words.
    """
    rows = space.embeddings.rows(words)
    rows = rows[(rows >= 0) & space.released[rows]]
    if not len(rows):
        return []
    points, names = space.embeddings.points, space.embeddings.words
    without_noise = recipes[0].curve.mechanism == NO_NOISE
    if is_fixed(recipes[0].curve):
        nearest_by_recipe = np.array([nearest_points(points.vectors, table(space, r)[rows], count) for r in recipes])
    else:
        noise_scales = scales(space, recipes)[:, rows]
        nearest_by_recipe = nearest_to_noisy(
            points.vectors, space.vectors[rows], draw[rows], noise_scales, count + without_noise
        )
    return [
        NeighbourWords(
            str(names[row]),
            i,
            tuple(str(names[points.first_word[point]]) for point in nearest[without_noise:]),
            not without_noise and bool((nearest == points.of_word[row]).any()),
        )
        for i, nearest_of_words in enumerate(nearest_by_recipe)
        for row, nearest in zip(rows, nearest_of_words, strict=True)
    ]
