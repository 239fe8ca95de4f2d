"""Attacks on a release: what they reveal about each word."""

import numpy as np
import numpy.typing as npt

from nadp.attacks.likelihood import likeliest, most_likely_within
from nadp.attacks.recovery import TOP
from nadp.audit.distribution import AuditMeasure, audited
from nadp.audit.pair import Pair
from nadp.embeddings import Ids
from nadp.search.decoding import true_ranks

_LEAST_PRIOR = 1e-300
_SAMPLE = 2_000  # sample size, used if no matrix product finds the most likely word


def attacks(pair: Pair, rng: np.random.Generator, prior: npt.NDArray[np.float64] | None = None) -> list[AuditMeasure]:
    """Return exposure, recovery, rank, overlap and the likelihood attacks, each for all words and by kind of word.

    Args:
        pair: original and release.
        rng: random generator that samples 2,000 words for the likelihood attack if the noise is not Gaussian.
        prior: (n,) the attacker's prior of each word, up to a factor; adds an attack that uses it.
    """
    points, truth = pair.space.embeddings.points, pair.truth
    hits = pair.nearest == truth[:, None]
    white_points, white_noisy = (pair.law.whitened(v) for v in (points.vectors, pair.noisy))
    labels = pair.space.neighbourhoods.labels
    hits_in_component = most_likely_within(white_points, labels, white_noisy, truth, pair.law.order)
    figures: dict[str, tuple[npt.NDArray[np.floating | np.bool_], float]] = {
        "without noise": (pair.exposed, 1.0),
        **{f"nearest word, top {top}": (hits[:, :top].any(axis=1), 1.0) for top in TOP},
        "rank of the true word": (true_ranks(points.vectors, pair.noisy, truth).astype(np.float64), 10.0),
        "overlap": (pair.overlap, 0.5),
        "most likely word, component known": (hits_in_component, 1.0),
    }
    measures = [audited(name, values, threshold, pair.kinds) for name, (values, threshold) in figures.items()]
    return measures + _by_likelihood(pair, rng, prior)


def _by_likelihood(pair: Pair, rng: np.random.Generator, prior: npt.NDArray[np.float64] | None) -> list[AuditMeasure]:
    """Return the attacks that search all words for the most likely one."""
    points = pair.space.embeddings.points
    sample = np.arange(len(pair.rows))
    if pair.law.exponent != 2:
        sample = np.sort(rng.permutation(sample)[:_SAMPLE])
    kinds = {kind: mask[sample] for kind, mask in pair.kinds.items()}
    truth = pair.truth[sample]
    priors = []
    if prior is not None:
        weight = np.bincount(points.of_word, weights=prior, minlength=len(points)).clip(min=_LEAST_PRIOR)
        priors.append(weight / weight.sum())
    right = _most_likely(pair, sample, priors) == truth
    measures = [audited("most likely word", right[0], 1.0, kinds)]
    if prior is not None:
        measures.append(audited("most likely word, frequencies known", right[1], 1.0, kinds))
        weights = prior[pair.rows[sample]]
        measures.append(audited("the same, each word as often as it occurs", right[1], 1.0, kinds, weights))
    return measures


def _most_likely(pair: Pair, sample: Ids, priors: list[npt.NDArray[np.float64]]) -> npt.NDArray[np.int64]:
    """Return the most likely point of some released words (q,), without a prior and with each, (1 + priors, q)."""
    points, noisy = (pair.law.whitened(v) for v in (pair.space.embeddings.points.vectors, pair.noisy[sample]))
    return likeliest(pair.law, points, pair.scale_of_points, noisy, *priors)
