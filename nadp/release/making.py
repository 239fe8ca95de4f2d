"""A release: noise sized and drawn, the gate passed, the certificate written. In memory; files are another matter."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from nadp.audit.pair import Claim
from nadp.calibration import mu_of, noise_multiplier, privacy_profile
from nadp.embeddings import Embeddings
from nadp.errors import InputError
from nadp.mechanisms import MECHANISMS
from nadp.noise.grid import Sampler, grid_of, noisy_table
from nadp.noise.normal import Deviation, deviation
from nadp.release.certificate import Certificate, Composition, composition
from nadp.release.gate import Limits, Measure, RefusedError, draw_measures, promise_measures
from nadp.runtime.versions import versions
from nadp.space import EmbeddingSpace

Releasable = Literal["nadp", "gaussian"]
_LARGEST_DELTA = 1e-6
_SHARE_OF_A_WORD = 0.1
_ROUNDS = 3
_LARGEST_NUMBER = 1e15
_LARGEST_DEVIATION = 1e-3  # of the sampler, in epsilon
_SAMPLER = " For each release after the first the sampler's own deviation, less than a thousandth, comes on top."
_NOTES = {
    "nearest": "",
    "drop": " Words alone in the graph were left out.",
    "global": " Words alone in the graph have noise but no neighbour: nothing is promised for them.",
    "exact": " Words alone in the graph have no neighbour: nothing is promised for them.",
}


@dataclass(frozen=True, eq=False)
class Released:
    """A release.

    Attributes:
        embeddings: the noisy vectors, to be published; words in the order of the original.
        certificate: what is promised, to be published.
        measures: what the gate saw: not to be published, since it depends on the vectors.
    """

    embeddings: Embeddings
    certificate: Certificate
    measures: list[Measure]


def release(  # noqa: PLR0913 - the terms of a release
    embeddings: Embeddings | EmbeddingSpace,
    *,
    epsilon: float,
    delta: float | None = None,
    mechanism: Releasable = "nadp",
    limits: Limits | None = None,
    embedding_is_public: bool = False,
    earlier: Sequence[float] = (),
    sampler: Sampler = "system",
    **graph: Any,  # noqa: ANN401 - the parameters of EmbeddingSpace.build
) -> Released:
    """Return a private copy of an embedding with its certificate.

    The noise comes from the operating system; it has no seed and cannot be made again. The gate attacks a draw of its
    own first.

    Args:
        embeddings: n words, or a space that is ready.
        epsilon: privacy budget of this release.
        delta: probability of failure; default min(1e-6, 0.1 / number of released words).
        mechanism: "nadp", or "gaussian" with the largest noise for all words.
        limits: what may be given away.
        embedding_is_public: whether the certificate may tell what depends on the vectors.
        earlier: mu of earlier releases of the same vectors over the same graph.
        sampler: "system", or "opendp" for OpenDP's exact sampler, some hundred times slower.
        **graph: tau, isolated, search and the other parameters of EmbeddingSpace.build.

    Raises:
        RefusedError: if the gate refuses; the message names each measure, its value, its limit, and what would help.
        InputError: if a parameter is out of range.
    """
    if isinstance(embeddings, EmbeddingSpace) and graph:
        raise InputError(f"the space has its graph already: {', '.join(graph)} would change nothing")
    space = embeddings if isinstance(embeddings, EmbeddingSpace) else EmbeddingSpace.build(embeddings, **graph)
    terms = terms_of(space, mechanism, epsilon, delta, limits)
    return drawn(space, terms, embedding_is_public=embedding_is_public, earlier=earlier, sampler=sampler)


@dataclass(frozen=True, eq=False)
class Terms:
    """What is settled of a release before a number is drawn.

    Attributes:
        claim: mechanism, epsilon and delta.
        limits: what may be given away.
        multiplier: standard deviation of the noise per unit of sensitivity.
        scale: (n,) standard deviation of each word's noise.
        grid: distance of two released numbers.
        off: what the sampler and the grid add to epsilon and delta; the noise is large enough for it.
    """

    claim: Claim
    limits: Limits
    multiplier: float
    scale: npt.NDArray[np.float64]
    grid: float
    off: Deviation

    @property
    def mu(self) -> float:
        """Of Gaussian differential privacy as claimed; the noise is a hair larger, by an amount that is private."""
        return mu_of(self.claimed_multiplier)

    @property
    def claimed_multiplier(self) -> float:
        """The least multiplier for the claim, which does not depend on the vectors."""
        return noise_multiplier(self.claim.epsilon, self.claim.delta)


def terms_of(
    space: EmbeddingSpace,
    mechanism: Releasable,
    epsilon: float,
    delta: float | None = None,
    limits: Limits | None = None,
) -> Terms:
    """Return the terms of a release, if the promise is one that the gate lets pass; see release.

    Raises:
        RefusedError: if some word would get no noise, neighbours different noise, or epsilon is too large.
        InputError: if a parameter is out of range, or the sampler's deviation is no small part of the budget.
    """
    limits = limits or Limits()
    if mechanism not in get_args(Releasable):
        raise InputError(f"a release is made with {' or '.join(get_args(Releasable))}, not {mechanism!r}")
    if not epsilon > 0:
        raise InputError(f"epsilon must be above 0, not {epsilon!r}")
    if not np.abs(space.vectors).max() <= _LARGEST_NUMBER:
        raise InputError(f"the vectors hold numbers above {_LARGEST_NUMBER:g}: choose another unit of length")
    if delta is None:
        delta = min(_LARGEST_DELTA, _SHARE_OF_A_WORD / max(1, int(space.released.sum())))
    claim = Claim(mechanism, epsilon, delta)
    weights = MECHANISMS[mechanism]().weights(space)
    passed(promise_measures(space, weights, epsilon, limits))
    multiplier, grid, off = _calibrated(space, weights[space.released], claim)
    return Terms(claim, limits, multiplier, multiplier * weights, grid, off)


def drawn(  # noqa: PLR0913 - the terms of a release
    space: EmbeddingSpace,
    terms: Terms,
    *,
    embedding_is_public: bool,
    earlier: Sequence[float] = (),
    over_other_graphs: int = 0,
    sampler: Sampler = "system",
) -> Released:
    """Return a release on given terms; see release.

    Args:
        space: n words.
        terms: of the release.
        embedding_is_public: whether the certificate may tell what depends on the vectors.
        earlier: mu of earlier releases of the same vectors.
        over_other_graphs: how many of these were made over other graphs.
        sampler: "system" or "opendp".

    Raises:
        RefusedError: if a draw gives too much away.
    """
    measures = passed(draw_measures(space, terms.claim, terms.grid, terms.limits))
    rows = np.flatnonzero(space.released)
    table, exact = noisy_table(space.vectors[rows], terms.scale[rows], terms.grid, sampler)
    made = Embeddings(space.embeddings.words[rows], table)
    together = composition([*earlier, terms.mu], terms.claim.delta, _note(space, over_other_graphs))
    told = _of_the_vectors(space, terms, measures, exact=exact) if embedding_is_public else {}
    return Released(made, _certificate(space, terms, together, told, sampler), measures)


def passed(measures: list[Measure]) -> list[Measure]:
    """Return measures if all of them allow a release.

    Raises:
        RefusedError: if one does not.
    """
    if not all(measure.passed for measure in measures):
        raise RefusedError(measures)
    return measures


def _calibrated(
    space: EmbeddingSpace, weights: npt.NDArray[np.float64], claim: Claim
) -> tuple[float, float, Deviation]:
    """Return multiplier, grid and deviation of noise that is large enough for a claim, all deviations included.

    Raises:
        InputError: if the sampler's deviation is no small part of the budget.
    """
    largest = float(np.abs(space.vectors).max())
    off = Deviation(0.0, 0.0)
    for _ in range(_ROUNDS):  # the deviation depends on the noise through a ratio that hardly moves
        delta = (claim.delta - off.delta) * math.exp(-off.epsilon / 2)
        multiplier = noise_multiplier(claim.epsilon - off.epsilon, delta)
        grid = grid_of(multiplier * weights)
        scale = float(multiplier * weights.max())
        found = deviation(space.embeddings.dimension, scale, grid, largest, mu_of(multiplier))
        if found.epsilon <= off.epsilon and found.delta <= off.delta:
            return multiplier, grid, off
        off = Deviation(1.01 * found.epsilon, found.delta)
        if off.epsilon > min(claim.epsilon / 10, _LARGEST_DEVIATION) or off.delta > claim.delta / 10:
            break
    raise InputError(
        f"the sampler may be {off.epsilon:.3g} off in epsilon and {off.delta:.3g} in delta: too much for epsilon "
        f"{claim.epsilon:g} and delta {claim.delta:.3g}; choose larger ones, or mechanism='gaussian'"
    )


def _note(space: EmbeddingSpace, over_other_graphs: int) -> str:
    """Return what the figure of several releases covers."""
    if not over_other_graphs:
        return "All of them are over this graph." + _SAMPLER + _NOTES[space.neighbourhoods.isolated]
    return (
        f"{over_other_graphs} of them are over other graphs, so the figure holds for pairs of words that are joined in "
        "all of these graphs only." + _SAMPLER + _NOTES[space.neighbourhoods.isolated]
    )


def graph_terms(space: EmbeddingSpace) -> dict[str, Any]:
    """Return the parameters that say which words are neighbours."""
    graph = space.neighbourhoods.graph
    return {
        "tau": graph.tau,
        "adjacency": graph.adjacency,
        "n_neighbours": graph.n_neighbours,
        "mutual": graph.mutual,
        "isolated": space.neighbourhoods.isolated,
        "search": space.neighbours.search,
    }


def _certificate(
    space: EmbeddingSpace, terms: Terms, together: Composition, told: dict[str, Any], sampler: Sampler
) -> Certificate:
    noise: dict[str, Any] = {"sampler": sampler, "randomness": "the operating system's"}
    if told and sampler == "system":
        noise |= {"epsilon_added": terms.off.epsilon, "delta_added": terms.off.delta}
    return Certificate(
        terms.claim.mechanism,
        terms.claim.epsilon,
        terms.claim.delta,
        privacy_profile(terms.claim.epsilon, terms.claimed_multiplier),
        terms.claimed_multiplier,
        terms.mu,
        graph_terms(space),
        together,
        noise,
        versions("nadp", "numpy", "scipy", *(["opendp"] if sampler == "opendp" else [])),
        of_the_vectors=told,
    )


def _of_the_vectors(space: EmbeddingSpace, terms: Terms, measures: list[Measure], *, exact: bool) -> dict[str, Any]:
    """Return what depends on the original vectors, hence leaks where these are private."""
    sizes = np.sort(space.neighbourhoods.sizes)[::-1]
    alone = space.neighbourhoods.was_isolated[space.embeddings.points.of_word]
    scale = terms.scale[space.released]
    return {
        "words": len(space),
        "words_released": int(space.released.sum()),
        "share_of_words_alone_in_the_graph": float(alone.mean()),
        "components": len(sizes),
        "largest_components": [int(size) for size in sizes[:5]],
        "longest_edge": space.neighbourhoods.global_sensitivity,
        "least_and_largest_noise": [float(scale.min()), float(scale.max())],
        "noise_multiplier": terms.multiplier,
        "grid": terms.grid,
        "float32_holds_the_grid": exact,
        **{measure.name.removeprefix("the ").replace(" ", "_"): measure.value for measure in measures},
    }
