"""What an attacker gets of each word of a release."""

import numpy as np
import numpy.typing as npt

from nadp.audit.decoding import true_ranks
from nadp.audit.distribution import Audit, audited
from nadp.audit.likelihood import most_likely, most_likely_within
from nadp.audit.pair import Pair
from nadp.audit.recovery import TOP

_LEAST_PRIOR = 1e-300


def attacks(pair: Pair, prior: npt.NDArray[np.float64] | None = None) -> list[Audit]:
    """Return exposure, recovery, rank, overlap and the likelihood attacks, each for all words and by kind of word.

    Args:
        pair: original and release.
        prior: (n,) how probable each word is to the attacker, up to a factor; adds an attack that knows it.
    """
    points, truth = pair.space.embeddings.points, pair.truth
    scale = pair.scale_of_points
    hits = pair.nearest == truth[:, None]
    likely = most_likely(points.vectors, scale, pair.noisy)
    within = most_likely_within(points.vectors, pair.space.neighbourhoods.labels, pair.noisy, truth)
    figures: dict[str, tuple[npt.NDArray[np.floating | np.bool_], float]] = {
        "without noise": (pair.exposed, 1.0),
        **{f"nearest word, top {top}": (hits[:, :top].any(axis=1), 1.0) for top in TOP},
        "rank of the true word": (true_ranks(points.vectors, pair.noisy, truth).astype(np.float64), 10.0),
        "overlap": (pair.overlap, 0.5),
        "most likely word": (likely == truth, 1.0),
        "most likely word, component known": (within, 1.0),
    }
    if prior is not None:
        weight = np.bincount(points.of_word, weights=prior, minlength=len(points)).clip(min=_LEAST_PRIOR)
        found = most_likely(points.vectors, scale, pair.noisy, weight / weight.sum())
        figures["most likely word, frequencies known"] = (found == truth, 1.0)
    return [audited(name, values, threshold, pair.kinds) for name, (values, threshold) in figures.items()]
