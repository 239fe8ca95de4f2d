"""A release: noise sized and drawn, the gate passed, the certificate written. In memory; files are another matter."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from nadp.audit.pair import Claim
from nadp.calibration import mu_of, noise_multiplier
from nadp.embeddings import Embeddings
from nadp.errors import InputError
from nadp.mechanisms import MECHANISMS
from nadp.release.certificate import Certificate, composition
from nadp.release.gate import Limits, Measure, RefusedError, draw_measures, promise_measures
from nadp.release.grid import grid_of, noisy_on_grid
from nadp.release.noise import Bytes, Deviation, deviation
from nadp.space import EmbeddingSpace

Releasable = Literal["nadp", "gaussian"]
_LARGEST_DELTA = 1e-6
_SHARE_OF_A_WORD = 0.1
_ONE_GRAPH = "All of them are over this graph."
_NOTES = {
    "nearest": "",
    "drop": " Words alone in the graph were left out.",
    "global": " Words alone in the graph have noise but no neighbour: nothing is promised for them.",
    "exact": " Words alone in the graph have no neighbour: nothing is promised for them.",
}


@dataclass(frozen=True, eq=False)
class Released:
    """What may be published.

    Attributes:
        embeddings: the noisy vectors; words in the order of the original.
        certificate: what is promised.
        measures: what the gate saw.
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
    random_bytes: Bytes = os.urandom,
    **graph: Any,  # noqa: ANN401 - the parameters of EmbeddingSpace.build
) -> Released:
    """Return a private copy of an embedding with its certificate.

    The noise comes from the operating system; it has no seed and cannot be made again. The gate attacks a draw of its
    own first.

    Args:
        embeddings: n words, or a space that is ready.
        epsilon: privacy budget of this release.
        delta: probability of failure; default min(1e-6, 0.1 / n).
        mechanism: "nadp", or "gaussian" with the largest noise for all words.
        limits: what may be given away.
        embedding_is_public: whether the certificate may tell what depends on the vectors.
        earlier: mu of earlier releases of the same vectors over the same graph.
        random_bytes: where randomness comes from; for tests of the sampler.
        **graph: tau, isolated, search and the other parameters of EmbeddingSpace.build.

    Raises:
        RefusedError: if the gate refuses; the message names each measure, its value, its limit, and what would help.
        InputError: if a parameter is out of range.
    """
    limits = limits or Limits()
    space = embeddings if isinstance(embeddings, EmbeddingSpace) else EmbeddingSpace.build(embeddings, **graph)
    if mechanism not in ("nadp", "gaussian"):
        raise InputError(f"a release is made with 'nadp' or 'gaussian', not {mechanism!r}")
    delta = min(_LARGEST_DELTA, _SHARE_OF_A_WORD / len(space)) if delta is None else delta
    terms = _terms(space, mechanism, epsilon, delta)
    passed(promise_measures(space, terms.scale, epsilon, limits))
    rows = np.flatnonzero(space.released)
    scale, vectors = terms.scale[rows], space.vectors[rows]
    trial = noisy_on_grid(vectors, scale, terms.grid, os.urandom).astype(np.float32)
    measures = passed(draw_measures(space, rows, trial, Claim(mechanism, epsilon, delta), limits))
    del trial
    noisy = noisy_on_grid(vectors, scale, terms.grid, random_bytes)
    made = Embeddings(space.embeddings.words[rows], noisy)
    exact = bool((made.vectors == noisy).all())
    certificate = _certificate(space, terms, mechanism, measures, [*earlier], exact, embedding_is_public)
    return Released(made, certificate, measures)


def passed(measures: list[Measure]) -> list[Measure]:
    """Return measures if all of them allow a release.

    Raises:
        RefusedError: if one does not.
    """
    if not all(measure.passed for measure in measures):
        raise RefusedError(measures)
    return measures


@dataclass(frozen=True, eq=False)
class _Terms:
    """The noise of a release, before it is drawn."""

    epsilon: float
    delta: float
    multiplier: float
    scale: npt.NDArray[np.float64]
    grid: float
    off: Deviation


def _terms(space: EmbeddingSpace, mechanism: Releasable, epsilon: float, delta: float) -> _Terms:
    """Return noise large enough for epsilon and delta after what the sampler and the grid add to them.

    Raises:
        InputError: if the sampler's deviation is no small part of the budget.
    """
    weights = MECHANISMS[mechanism]().weights(space)
    released = weights[space.released]
    largest = float(np.abs(space.vectors).max())
    off = Deviation(0.0, 0.0)
    for _ in range(3):  # the deviation depends on the noise through a ratio that hardly moves
        multiplier = noise_multiplier(max(epsilon - off.epsilon, 0.0), delta - off.delta)
        scale = multiplier * released
        if not (scale > 0).all():
            return _Terms(epsilon, delta, multiplier, multiplier * weights, 1.0, off)  # the gate will refuse it
        grid = grid_of(scale)
        found = deviation(space.embeddings.dimension, float(scale.max()), grid, largest)
        if found.epsilon <= off.epsilon and found.delta <= off.delta:
            return _Terms(epsilon, delta, multiplier, multiplier * weights, grid, off)
        off = Deviation(1.01 * found.epsilon, found.delta)
        if off.epsilon > epsilon / 10 or off.delta > delta / 10:
            raise InputError(
                f"the sampler may be {off.epsilon:.3g} off in epsilon and {off.delta:.3g} in delta: too much for "
                f"epsilon {epsilon:g} and delta {delta:.3g}; choose larger ones, or mechanism='gaussian'"
            )
    raise InputError(f"no noise was found for epsilon {epsilon:g} and delta {delta:.3g}")


def _certificate(  # noqa: PLR0913, PLR0917 - what is certified
    space: EmbeddingSpace,
    terms: _Terms,
    mechanism: str,
    measures: list[Measure],
    earlier: list[float],
    exact: bool,
    public: bool,
) -> Certificate:
    graph = space.neighbourhoods.graph
    mu = mu_of(terms.multiplier)
    neighbouring = {
        "tau": graph.tau,
        "adjacency": graph.adjacency,
        "n_neighbours": graph.n_neighbours,
        "mutual": graph.mutual,
        "isolated": space.neighbourhoods.isolated,
        "search": space.neighbours.search,
    }
    sampler = {
        "randomness": "the operating system's",
        "epsilon_added": terms.off.epsilon,
        "delta_added": terms.off.delta,
    }
    return Certificate(
        mechanism,
        terms.epsilon,
        terms.delta,
        terms.multiplier if public else float(f"{terms.multiplier:.4g}"),  # the last digits tell of the vectors
        mu if public else float(f"{mu:.4g}"),
        neighbouring,
        composition([*earlier, mu], terms.delta, _ONE_GRAPH + _NOTES[space.neighbourhoods.isolated]),
        sampler if public else {"randomness": sampler["randomness"]},
        {name: version(name) for name in ("nadp", "numpy", "scipy")},
        of_the_vectors=_of_the_vectors(space, terms, measures, exact=exact) if public else {},
    )


def _of_the_vectors(space: EmbeddingSpace, terms: _Terms, measures: list[Measure], *, exact: bool) -> dict[str, Any]:
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
        "grid": terms.grid,
        "float32_holds_the_grid": exact,
        **{measure.name.removeprefix("the ").replace(" ", "_"): measure.value for measure in measures},
    }
