"""A release in memory: calibrated noise, the gate, and the certificate. nadp.release.publishing writes the files."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nadp.choices import Sampler
from nadp.embeddings import Embeddings
from nadp.errors import InputError
from nadp.mechanisms import Mechanism, Publication
from nadp.mechanisms.preconditions import Measure, passed
from nadp.mechanisms.publication import last_look
from nadp.noise.grid import noisy_table
from nadp.release.basis import Basis, Sizing
from nadp.release.certificate import Certificate, composition
from nadp.release.gate import Limits, draw_measures, simulated_measures
from nadp.release.published import Published, published_measures
from nadp.release.together import Earlier
from nadp.runtime.memory import give_back
from nadp.runtime.versions import versions
from nadp.space import EmbeddingSpace

_SAMPLER = " Each release after the first adds the sampler's own deviation, less than .001 in epsilon."
_HELP = "choose isolated='nearest' or 'drop', or a public graph or constant"
_NOTES = {
    "nearest": "",
    "drop": " Isolated words were left out.",
    "global": " Isolated words have noise but no neighbour, so the guarantee does not cover them.",
    "exact": " Isolated words have no neighbour, so the guarantee does not cover them.",
}


@dataclass(frozen=True, eq=False)
class Released:
    """A release.

    Attributes:
        embeddings: the noisy vectors in the word order of the original, for publication.
        certificate: the certificate, for publication.
        measures: the measures of the gate; not for publication, because they depend on the vectors.
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
    neighbourhoods_from: Embeddings | EmbeddingSpace | None = None,
    sensitivity: float | None = None,
    clip: float | None = None,
    bound: float | None = None,
    limits: Limits | None = None,
    embedding_is_public: bool = False,
    earlier: Sequence[float] = (),
    sampler: Sampler = "system",
    **graph: Any,  # noqa: ANN401 - the parameters of EmbeddingSpace.build
) -> Released:
    """Return a private copy of an embedding with its certificate.

    The noise is drawn with the operating system's randomness. It has no seed and cannot be reproduced. First, the gate
    attacks a separate draw.

    Args:
        embeddings: n words and their vectors, or a space.
        epsilon: privacy budget of this release.
        delta: probability of failure; default min(1e-6, 0.1 / number of released words).
        mechanism: "nadp", or "gaussian", which gives all words the largest noise scale.
        neighbourhoods_from: a public embedding; the noise is calibrated to its graph, and the guarantee is
            unconditional. Default: the embedding's own graph.
        sensitivity: a public constant to which the noise of all words is calibrated. With neighbourhoods_from, it
            applies only to words that the public embedding lacks; by default, these are left out.
        clip: a length to which longer vectors are shortened, instead of a sensitivity; the guarantee then covers any
            replacement of one word's vector.
        bound: with a public graph or constant, a public bound on the numbers in the vectors; default 1000 times the
            largest sensitivity.
        limits: limits of the gate.
        embedding_is_public: whether the certificate may state figures that depend on the vectors.
        earlier: mu of earlier releases of the same vectors over the same graph or constant.
        sampler: "system", or "opendp" for OpenDP's exact sampler, which is about a hundred times slower.
        **graph: tau, isolated, search and the other parameters of EmbeddingSpace.build.

    Raises:
        RefusedError: if the gate refuses; the message names each failed measure with its value, its limit and a remedy.
        InputError: if a parameter is out of range.
    """
    sizing = Sizing(mechanism, sensitivity, clip, bound)
    public = None if neighbourhoods_from is None else _space(neighbourhoods_from, graph)
    if public is None and not sizing.by_a_constant:
        embeddings = _space(embeddings, graph)
    elif public is None and graph:
        raise InputError(f"this release builds no graph: leave {', '.join(graph)} out")
    limits, basis = limits or Limits(), sizing.basis(embeddings, public)
    calibrated_noise = publication(basis, epsilon, delta, limits)
    earlier_releases = Earlier(tuple(earlier))
    return drawn(
        basis,
        calibrated_noise,
        limits,
        embedding_is_public=embedding_is_public,
        earlier=earlier_releases,
        sampler=sampler,
    )


def _space(embeddings: Embeddings | EmbeddingSpace, graph: dict[str, Any]) -> EmbeddingSpace:
    if not isinstance(embeddings, EmbeddingSpace):
        return EmbeddingSpace.build(embeddings, **graph)
    if graph:
        raise InputError(f"the space already has its graph: leave {', '.join(graph)} out")
    return embeddings


def publication(basis: Basis, epsilon: float, delta: float | None, limits: Limits) -> Publication:
    """Return the noise and guarantee of a release before any draw; see release.

    Raises:
        RefusedError: if some word would get no noise, neighbours would get different noise, or epsilon is too large.
        InputError: if a parameter is out of range.
    """
    if not epsilon > 0:
        raise InputError(f"epsilon must be above 0, not {epsilon!r}")
    unprotected_share = basis.differences.unprotected
    share = Measure(
        "share_without_guarantee",
        "the share of words without any guarantee",
        unprotected_share,
        limits.max_unprotected,
        unprotected_share <= limits.max_unprotected,
        _HELP,
    )
    passed([*basis.measures, share])
    words, weak = len(basis.embeddings), limits.accept_weak_privacy
    passed(basis.mechanism.budget_measures(epsilon, delta, words, accept_weak_privacy=weak))
    return basis.mechanism.sized(basis.differences, epsilon, delta)


def drawn(  # noqa: PLR0913 - the terms of a release
    basis: Basis,
    calibrated_noise: Publication,
    limits: Limits,
    *,
    embedding_is_public: bool,
    earlier: Earlier | None = None,
    sampler: Sampler = "system",
) -> Released:
    """Return a release with given noise; see release.

    Args:
        basis: the basis of the release.
        calibrated_noise: noise scales and guarantee.
        limits: limits of the gate.
        embedding_is_public: whether the certificate may state figures that depend on the vectors.
        earlier: releases of the same series.
        sampler: "system" or "opendp".

    Raises:
        RefusedError: if a separate draw reveals too much, this release and earlier ones together do, or the noise in
            the published numbers does not follow its law.
    """
    earlier, mu = earlier or Earlier(), calibrated_noise.guarantee.mu
    if mu is None:
        raise InputError(f"{calibrated_noise.guarantee.mechanism} noise is not Gaussian: the ledger cannot add it up")
    averaged_scale = earlier.scale(basis.attacked.sensitivity, calibrated_noise.multiplier)
    measures = passed(
        [
            *earlier.measures(mu, limits),
            *draw_measures(basis.attacked, calibrated_noise.multiplier, calibrated_noise.grid, limits, sampler),
            *simulated_measures(basis.attacked, averaged_scale, limits, earlier.would_help),
        ]
    )
    give_back()  # what the search and the gate have freed
    table, exact = noisy_table(basis.embeddings.vectors, calibrated_noise.scale, calibrated_noise.grid, sampler)
    alarm, _ = last_look(calibrated_noise.guarantee.epsilon, calibrated_noise.guarantee.delta)
    published = Published(
        basis.embeddings.vectors, table, calibrated_noise.law, calibrated_noise.scale, calibrated_noise.grid
    )
    passed(published_measures(published, alarm))
    joint = composition([*earlier.mus, mu], calibrated_noise.guarantee.delta, _note(basis, len(earlier.others)))
    figures = _figures(basis, calibrated_noise, measures, exact=exact, everything=embedding_is_public)
    noise: dict[str, Any] = {"sampler": sampler, "randomness": "the operating system's", "last_look_alarm": alarm}
    bounded = sampler == "system" and not calibrated_noise.guarantee.unbounded
    if bounded:
        noise |= {"assumed": calibrated_noise.law.assumed}
    if bounded and "grid" in figures:
        noise |= {"epsilon_added": calibrated_noise.off.epsilon, "delta_added": calibrated_noise.off.delta}
    used_versions = versions("nadp", "numpy", "scipy", *(["opendp"] if sampler == "opendp" else []))
    certificate = Certificate(calibrated_noise.guarantee, basis.terms, joint, noise, used_versions, measured=figures)
    return Released(basis.embeddings.with_vectors(table), certificate, measures)


def _note(basis: Basis, over_other_graphs: int) -> str:
    """Return the note on which releases the composed figure covers."""
    isolated = basis.differences.isolated
    policy = _NOTES[isolated] if isolated else ""
    if not over_other_graphs:
        return "All are over this graph or constant." + _SAMPLER + policy
    return (
        f"{over_other_graphs} of them are over other graphs or constants, so the figure holds only for tables that are "
        "neighbours under all of these." + _SAMPLER + policy
    )


def _figures(
    basis: Basis, calibrated_noise: Publication, measures: list[Measure], *, exact: bool, everything: bool
) -> dict[str, Any]:
    """Return a certificate's figures on noise and attacks; unless `everything`, only figures from public inputs."""
    figures: dict[str, Any] = {}
    if everything or basis.space is None:
        figures |= {
            "words_released": len(basis.embeddings),
            "least_and_largest_noise": [float(calibrated_noise.scale.min()), float(calibrated_noise.scale.max())],
            "noise_multiplier": calibrated_noise.multiplier,
            "grid": calibrated_noise.grid,
        }
    if everything or not basis.differences.selected:  # the gate attacked public vectors, so its measures are public
        figures |= {measure.key: measure.value for measure in measures}
    if basis.public is not None:  # the gate knows no vectors of words that the public embedding lacks
        figures |= {"words_that_the_gate_did_not_attack": len(basis.embeddings) - len(basis.attacked.rows)}
    if everything:
        figures |= {"words": len(basis.original), "float32_holds_the_grid": exact}
    if everything and basis.space is not None:
        figures |= _of_the_graph(basis.space)
    return figures


def _of_the_graph(space: EmbeddingSpace) -> dict[str, Any]:
    sizes = np.sort(space.neighbourhoods.sizes)[::-1]
    is_isolated = space.neighbourhoods.was_isolated[space.point_of_word]
    return {
        "isolated_share": float(is_isolated.mean()),
        "components": len(sizes),
        "largest_components": [int(size) for size in sizes[:5]],
        "longest_edge": space.neighbourhoods.global_sensitivity,
    }
