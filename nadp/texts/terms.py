"""How an encoder's noise is sized, and what is promised for it."""

from typing import Literal, get_args

import numpy as np

from nadp.calibration import mu_of
from nadp.errors import InputError
from nadp.mechanisms import MECHANISMS
from nadp.noise.exponential import laplace_deviation
from nadp.noise.grid import grid_of
from nadp.noise.normal import Deviation
from nadp.noise.research import mahalanobis_root
from nadp.release.certificate import exact_figure
from nadp.release.gate import Limits, RefusedError, promise_measures
from nadp.release.making import terms_of
from nadp.space import EmbeddingSpace
from nadp.texts.promise import Promise
from nadp.texts.token_noise import TokenNoise

Encodable = Literal["nadp", "gaussian", "laplacian", "mahalanobis"]
_LARGEST_DEVIATION = 1e-3  # of the sampler, in epsilon
_ROOM = 1.2  # for what is added to Laplace noise to make up for the deviation, which grows with the noise: at most 1/9
_BETWEEN = "for one token replaced by a word that its word is joined to in the neighbour graph"


def sized(
    space: EmbeddingSpace, mechanism: Encodable, epsilon: float, delta: float | None, limits: Limits
) -> tuple[TokenNoise, Promise]:
    """Return the noise of the tokens of each word that the space releases, and what it promises.

    Args:
        space: n words.
        mechanism: how the noise is sized.
        epsilon: of one token.
        delta: of one token, Gaussian noise only; None for min(1e-6, 0.1 / number of words).
        limits: accept_weak_privacy allows an epsilon above 10.

    Raises:
        RefusedError: if some word would get no noise, neighbours different noise, or epsilon is too large.
        InputError: if a parameter is out of range.
    """
    if mechanism not in get_args(Encodable):
        raise InputError(f"texts are encoded with {', '.join(get_args(Encodable))}, not {mechanism!r}")
    if not 0 < epsilon < np.inf:
        raise InputError(f"epsilon must be above 0 and finite, not {epsilon!r}")
    epsilon, delta = float(epsilon), None if delta is None else float(delta)  # one number has one fingerprint
    if mechanism in ("nadp", "gaussian"):
        return _gaussian(space, mechanism, epsilon, delta, limits)
    if delta is not None:
        raise InputError(f"{mechanism} noise has no delta: leave it out")
    if mechanism == "laplacian":
        return _laplacian(space, epsilon, limits)
    return _mahalanobis(space, epsilon)


def _gaussian(
    space: EmbeddingSpace, mechanism: Literal["nadp", "gaussian"], epsilon: float, delta: float | None, limits: Limits
) -> tuple[TokenNoise, Promise]:
    terms = terms_of(space, mechanism, epsilon, delta, limits)
    delta = terms.claim.delta
    statement = f"({exact_figure(epsilon)}, {exact_figure(delta)})-differential privacy {_BETWEEN}" + _alone(space)
    promise = Promise("(epsilon, delta)-DP", epsilon, delta, mu_of(terms.claimed_multiplier), statement)
    return TokenNoise("gaussian", terms.scale[space.released], terms.grid), promise


def _laplacian(space: EmbeddingSpace, epsilon: float, limits: Limits) -> tuple[TokenNoise, Promise]:
    weights = MECHANISMS["laplacian"]().weights(space)
    measures = promise_measures(space, weights, epsilon, limits)
    if not all(measure.passed for measure in measures):
        raise RefusedError(measures)
    grid = grid_of(weights / epsilon)
    largest = float(np.abs(space.vectors).max())
    added = laplace_deviation(space.embeddings.dimension, _ROOM * weights[0] / epsilon, grid, largest)
    _check_deviation(added, epsilon)
    scale = weights / (epsilon - added.epsilon)
    statement = f"{exact_figure(epsilon)}-differential privacy, delta 0, {_BETWEEN}" + _alone(space)
    return TokenNoise("laplace", scale[space.released], grid), Promise("epsilon-DP", epsilon, 0.0, None, statement)


def _mahalanobis(space: EmbeddingSpace, epsilon: float) -> tuple[TokenNoise, Promise]:
    root = mahalanobis_root(space.embeddings.covariance, 1.0)
    narrowest = float(np.linalg.eigvalsh(root)[0]) / epsilon
    scale = np.full(int(space.released.sum()), 1 / epsilon)
    statement = (
        "metric differential privacy: a token and its replacement at Mahalanobis distance r are "
        f"({exact_figure(epsilon)} r)-indistinguishable; this epsilon cannot be compared with that of the other "
        "mechanisms, and no bound is proved for what floating point adds to it"
    )
    return TokenNoise("mahalanobis", scale, grid_of(np.array([narrowest])), root), Promise(
        "metric DP", epsilon, 0.0, None, statement
    )


def _alone(space: EmbeddingSpace) -> str:
    """Return what becomes of the words that are alone in the graph, as the end of a sentence."""
    return {
        "global": "; nothing is promised for words alone in the graph, which have noise but no neighbour",
        "drop": "; words alone in the graph count as unknown",
    }.get(space.neighbourhoods.isolated, "")


def _check_deviation(added: Deviation, epsilon: float) -> None:
    if not added.epsilon <= min(_LARGEST_DEVIATION, epsilon / 10):
        raise InputError(f"the sampler may be {added.epsilon:.3g} off in epsilon: choose an epsilon above {epsilon:g}")
