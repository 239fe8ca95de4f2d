"""A release: noise sized and drawn, the gate passed, the certificate written. In memory; files are another matter."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nadp.embeddings import Embeddings
from nadp.errors import InputError
from nadp.mechanisms import MECHANISMS, Mechanism, Publication, named
from nadp.mechanisms.preconditions import Measure, passed
from nadp.noise.grid import Sampler, noisy_table
from nadp.release.certificate import Certificate, Composition, composition
from nadp.release.gate import Limits, draw_measures
from nadp.runtime.versions import versions
from nadp.space import EmbeddingSpace

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
    mechanism: Mechanism | str = "nadp",
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
        mechanism: one that is publishable: "nadp", or "gaussian" with the largest noise for all words.
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
    limits = limits or Limits()
    settled = publication(space, mechanism, epsilon, delta, limits)
    return drawn(space, settled, limits, embedding_is_public=embedding_is_public, earlier=earlier, sampler=sampler)


def publication(
    space: EmbeddingSpace, mechanism: Mechanism | str, epsilon: float, delta: float | None, limits: Limits
) -> Publication:
    """Return what is settled of a release before a number is drawn; see release.

    Raises:
        RefusedError: if some word would get no noise, neighbours different noise, or epsilon is too large.
        InputError: if a parameter is out of range, or nothing may be released with the mechanism.
    """
    made = named(mechanism) if isinstance(mechanism, str) else mechanism
    if not made.publishable:
        able = [name for name, one in MECHANISMS.items() if one.publishable]
        raise InputError(f"a release is made with {' or '.join(able)}, not {str(made)!r}")
    return made.publication(space, epsilon, delta, accept_weak_privacy=limits.accept_weak_privacy)


def drawn(  # noqa: PLR0913 - the terms of a release
    space: EmbeddingSpace,
    settled: Publication,
    limits: Limits,
    *,
    embedding_is_public: bool,
    earlier: Sequence[float] = (),
    over_other_graphs: int = 0,
    sampler: Sampler = "system",
) -> Released:
    """Return a release whose noise is settled; see release.

    Args:
        space: n words.
        settled: its noise and guarantee.
        limits: what may be given away.
        embedding_is_public: whether the certificate may tell what depends on the vectors.
        earlier: mu of earlier releases of the same vectors.
        over_other_graphs: how many of these were made over other graphs.
        sampler: "system" or "opendp".

    Raises:
        RefusedError: if a draw gives too much away.
    """
    measures = passed(draw_measures(space, settled.guarantee, settled.grid, limits))
    rows = np.flatnonzero(space.released)
    table, exact = noisy_table(space.vectors[rows], settled.scale[rows], settled.grid, sampler)
    made = Embeddings(space.embeddings.words[rows], table)
    mu = settled.guarantee.mu
    if mu is None:
        raise InputError(f"{settled.guarantee.mechanism} noise is not Gaussian: the ledger cannot add it up")
    together = composition([*earlier, mu], settled.guarantee.delta, _note(space, over_other_graphs))
    told = _of_the_vectors(space, settled, measures, exact=exact) if embedding_is_public else {}
    return Released(made, _certificate(space, settled, together, told, sampler), measures)


def _note(space: EmbeddingSpace, over_other_graphs: int) -> str:
    """Return what the figure of several releases covers."""
    if not over_other_graphs:
        return "All of them are over this graph." + _SAMPLER + _NOTES[space.neighbourhoods.isolated]
    return (
        f"{over_other_graphs} of them are over other graphs, so the figure holds for pairs of words that are joined in "
        "all of these graphs only." + _SAMPLER + _NOTES[space.neighbourhoods.isolated]
    )


def _certificate(
    space: EmbeddingSpace, settled: Publication, together: Composition, told: dict[str, Any], sampler: Sampler
) -> Certificate:
    noise: dict[str, Any] = {"sampler": sampler, "randomness": "the operating system's"}
    if told and sampler == "system":
        noise |= {"epsilon_added": settled.off.epsilon, "delta_added": settled.off.delta}
    return Certificate(
        settled.guarantee,
        space.neighbouring,
        together,
        noise,
        versions("nadp", "numpy", "scipy", *(["opendp"] if sampler == "opendp" else [])),
        of_the_vectors=told,
    )


def _of_the_vectors(
    space: EmbeddingSpace, settled: Publication, measures: list[Measure], *, exact: bool
) -> dict[str, Any]:
    """Return what depends on the original vectors, hence leaks where these are private."""
    sizes = np.sort(space.neighbourhoods.sizes)[::-1]
    alone = space.neighbourhoods.was_isolated[space.embeddings.points.of_word]
    scale = settled.scale[space.released]
    return {
        "words": len(space),
        "words_released": int(space.released.sum()),
        "share_of_words_alone_in_the_graph": float(alone.mean()),
        "components": len(sizes),
        "largest_components": [int(size) for size in sizes[:5]],
        "longest_edge": space.neighbourhoods.global_sensitivity,
        "least_and_largest_noise": [float(scale.min()), float(scale.max())],
        "noise_multiplier": settled.multiplier,
        "grid": settled.grid,
        "float32_holds_the_grid": exact,
        **{measure.name.removeprefix("the ").replace(" ", "_"): measure.value for measure in measures},
    }
