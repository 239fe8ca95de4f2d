"""The privacy figures of one draw at many settings of the noise."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from nadp.attacks.likelihood import likeliest
from nadp.attacks.overlap import overlaps, skewness
from nadp.attacks.recovery import TOP, recovery
from nadp.embeddings import Floats, Ids
from nadp.noise import NoiseLaw
from nadp.runtime.progress import tracked
from nadp.scores import Score, Words
from nadp.search.decoding import nearest_points, nearest_to_noisy
from nadp.space import EmbeddingSpace


def privacy(
    space: EmbeddingSpace,
    draw: Floats,
    scales: npt.NDArray[np.float64],
    words: Ids | None = None,
    common: npt.NDArray[np.bool_] | None = None,
) -> list[list[Score]]:
    """Return recovery and overlap, a list of scores for each setting.

    Metrics: "recovery-top1", "-top5" and "-top10" (against all points of the space); "overlap-mean",
    "overlap-half" (share with p_i of one half or more), "overlap-skewness" and "overlap-skewness-plain".

    Args:
        space: a space of n words.
        draw: (n, d) the base draw.
        scales: (s, n) noise scale of each word at each of s settings.
        words: (q,) the words to attack; default all released words.
        common: (n,) the words for which the figures are also computed separately, marked as "common".
    """
    rows = np.flatnonzero(space.released) if words is None else words
    points = space.embeddings.points
    truth = points.of_word[rows]
    clean_lists = space.nearest_without_noise(rows)
    nearest_by_setting = nearest_to_noisy(
        points.vectors, space.vectors[rows], draw[rows], scales[:, rows], max(clean_lists.shape[1], *TOP)
    )
    return _figures(clean_lists, nearest_by_setting, truth, len(space), None if common is None else common[rows])


def privacy_of_tables(
    space: EmbeddingSpace,
    tables: Iterable[Floats],
    words: Ids | None = None,
    common: npt.NDArray[np.bool_] | None = None,
) -> list[list[Score]]:
    """Return recovery and overlap as `privacy` does, for fixed tables (n, d) instead of noise."""
    rows = np.flatnonzero(space.released) if words is None else words
    points, clean_lists = space.embeddings.points, space.nearest_without_noise(rows)
    count = max(clean_lists.shape[1], *TOP)
    nearest_by_table = [nearest_points(points.vectors, table[rows], count) for table in tables]
    common_rows = None if common is None else common[rows]
    return _figures(clean_lists, nearest_by_table, points.of_word[rows], len(space), common_rows)


def _figures(
    clean_lists: npt.NDArray[np.int32],
    nearest_by_setting: Iterable[npt.NDArray[np.int32]],
    truth: Ids,
    words: int,
    common: npt.NDArray[np.bool_] | None,
) -> list[list[Score]]:
    """Return the scores of each table's nearest points (q, k), over all words and over the common words."""
    parts: dict[Words, npt.NDArray[np.bool_]] = {"released": np.ones(len(truth), dtype=bool)}
    if common is not None:
        parts["common"] = common
    return [
        [
            replace(score, words=name)
            for name, mask in parts.items()
            for score in _scores(clean_lists[mask], noisy_lists[mask], truth[mask], words)
        ]
        for noisy_lists in nearest_by_setting
    ]


def likelihood_recovery(
    space: EmbeddingSpace, law: NoiseLaw, draw: Floats, scales: npt.NDArray[np.float64], words: Ids
) -> list[Score]:
    """Return the recovery by the likelihood attack, which knows law and scale of each word's noise, for each setting.

    Metric: "recovery-likelihood". If all words have the same Gaussian noise, it equals the recovery by the nearest
    word.

    Args:
        space: a space of n words.
        law: law of the draw, fitted to the embedding.
        draw: (n, d) the base draw.
        scales: (s, n) noise scale of each word at each of s settings; only Gaussian noise may have different
            scales for different words.
        words: (q,) the words to attack.
    """
    points = space.embeddings.points
    truth = points.of_word[words]
    white_vectors, noise = (law.whitened(v).astype(np.float64, copy=False) for v in (space.vectors[words], draw[words]))
    white_points = law.whitened(points.vectors)
    scores = []
    for scale in tracked(scales, "likelihood at each setting", "settings"):
        noisy = white_vectors + scale[words, None] * noise
        (decoded,) = likeliest(law, white_points, scale[points.first_word], noisy)
        share = float((decoded == truth).mean())
        scores.append(Score("privacy", "recovery-likelihood", share, len(words), len(words) / len(space)))
    return scores


def attacked_words(space: EmbeddingSpace, sample: int, rng: np.random.Generator) -> Ids:
    """Return a random sample of the released words, in ascending order; all of them if there are not enough."""
    rows = np.flatnonzero(space.released)
    return np.sort(rng.permutation(rows)[:sample])


def _scores(
    clean_lists: npt.NDArray[np.int32], noisy_lists: npt.NDArray[np.int32], truth: Ids, words: int
) -> list[Score]:
    overlap = overlaps(clean_lists, noisy_lists[:, : clean_lists.shape[1]])
    values = {f"recovery-top{top}": share for top, share in recovery(noisy_lists, truth).items()}
    values |= {
        "overlap-mean": float(overlap.mean()),
        "overlap-half": float((overlap >= 0.5).mean()),
        "overlap-skewness": skewness(overlap),
        "overlap-skewness-plain": skewness(overlap, corrected=False),
    }
    return [Score("privacy", metric, value, len(truth), len(truth) / words) for metric, value in values.items()]
