"""The basis of a release: the published vectors, the sensitivities of their noise, and the vectors for the gate.

Graph, noise scales and grid come from the vectors themselves (`own_graph`, a conditional guarantee), or from public
inputs only: the graph of a public embedding (`public_graph`), a public constant (`public_sensitivity`), or a length
to which vectors are clipped (`clipped_to`). docs/release.md proves the guarantee of each.
"""

import hashlib
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from nadp.embeddings import Embeddings, Floats, Ids
from nadp.errors import InputError
from nadp.mechanisms import MECHANISMS, Gaussian, Mechanism, named
from nadp.mechanisms.preconditions import Measure, graph_measures, noise_measure, unprotected
from nadp.mechanisms.publication import Differences, largest_number
from nadp.runtime.parallel import slices
from nadp.space import EmbeddingSpace

_ROWS = 4096  # clipped at a time, since float64 copies of a whole table would take much memory
_ROOM = 1000.0  # default bound on the vectors' numbers, in units of the largest sensitivity
_SHORTER = 1 - 2.0**-22  # rounding a clipped vector to float32 lengthens it by less than this


@dataclass(frozen=True, eq=False)
class Attacked:
    """Vectors to which the gate adds the noise of a release, to measure recovery.

    Attributes:
        embeddings: the k words among which the attacker guesses.
        sensitivity: (k,) sensitivity of each word.
        rows: rows of the published words.
    """

    embeddings: Embeddings
    sensitivity: npt.NDArray[np.float64]
    rows: Ids


@dataclass(frozen=True, eq=False)
class Basis:
    """The basis of a release.

    Attributes:
        original: the private embedding, n words.
        embeddings: the m published words and their vectors, clipped if requested.
        mechanism: "nadp" uses a sensitivity for each word, "gaussian" the largest sensitivity for all words.
        differences: the differences that the noise must hide.
        attacked: vectors for the gate.
        terms: the parameters that define neighbouring tables, for certificate and ledger.
        measures: measures of the gate that do not depend on epsilon.
        space: the private embedding with its own graph, if the noise is calibrated to that graph.
        public: the public embedding with its graph, if the noise is calibrated to that graph.
    """

    original: Embeddings
    embeddings: Embeddings
    mechanism: Gaussian
    differences: Differences
    attacked: Attacked
    terms: dict[str, Any]
    measures: list[Measure] = field(default_factory=list)
    space: EmbeddingSpace | None = None
    public: EmbeddingSpace | None = None

    @cached_property
    def sizing(self) -> str:
        """A fingerprint of the noise calibration. Two releases with the same one have proportional noise."""
        if self.differences.constant is not None:
            return f"constant {float(self.differences.sensitivity[0])!r}"
        attacked, missing_words_sensitivity = self.attacked, self.terms.get("sensitivity", "")
        digest = hashlib.sha256(f"{attacked.embeddings.identity} {missing_words_sensitivity} ".encode())
        digest.update(attacked.sensitivity.astype("<f8").tobytes())
        return digest.hexdigest()


@dataclass(frozen=True)
class Sizing:
    """How the noise of a release is calibrated.

    Attributes:
        mechanism: "nadp" or "gaussian".
        sensitivity: a public constant; with a public graph, the sensitivity of words that the graph lacks.
        clip: the length to which longer vectors are clipped.
        bound: a public bound on the numbers in the vectors.
    """

    mechanism: Mechanism | str = "nadp"
    sensitivity: float | None = None
    clip: float | None = None
    bound: float | None = None

    @property
    def by_a_constant(self) -> bool:
        """Whether the noise is calibrated to a constant, so that the private vectors' own graph is not needed."""
        return self.sensitivity is not None or self.clip is not None

    def basis(self, original: Embeddings | EmbeddingSpace, public: EmbeddingSpace | None = None) -> Basis:
        """Return the basis of a release.

        Args:
            original: the private embedding, with its own graph if the noise depends on it.
            public: a public embedding with its graph.

        Raises:
            InputError: if parameters contradict each other or are out of range.
        """
        embeddings = original.embeddings if isinstance(original, EmbeddingSpace) else original
        if self.clip is not None and (self.sensitivity is not None or self.bound is not None or public is not None):
            raise InputError("clip replaces sensitivity, bound and neighbourhoods_from: leave them out")
        if self.clip is not None:
            return clipped_to(embeddings, self.clip)
        if public is not None:
            return public_graph(embeddings, public, self)
        if self.sensitivity is not None:
            return public_sensitivity(embeddings, self.sensitivity, self.bound)
        if self.bound is not None or not isinstance(original, EmbeddingSpace):
            raise InputError("bound belongs to neighbourhoods_from or sensitivity; without these, a graph is needed")
        return own_graph(original, self.mechanism)


def own_graph(space: EmbeddingSpace, mechanism: Mechanism | str = "nadp") -> Basis:
    """Return the basis of a release calibrated to the vectors' own graph: its guarantee is conditional.

    Raises:
        InputError: if the mechanism is not publishable, or the graph has no edge.
    """
    space = space.without_approximate_lists()
    gaussian, rows = _releasable(mechanism), np.flatnonzero(space.released)
    weights, isolated = gaussian.weights(space), space.neighbourhoods.isolated
    largest, dimension = largest_number(space.vectors), space.embeddings.dimension
    return Basis(
        space.embeddings,
        space.embeddings.subset(rows),
        gaussian,
        Differences(
            weights[rows], dimension, largest, "own graph", isolated, unprotected=unprotected(space), selected=True
        ),
        Attacked(space.embeddings, weights, rows),
        space.neighbouring,
        graph_measures(space, weights),
        space,
    )


def public_graph(embeddings: Embeddings, public: EmbeddingSpace, sizing: Sizing) -> Basis:
    """Return the basis of a release calibrated to the graph of a public embedding only.

    Args:
        embeddings: n private words.
        public: a public embedding with its graph; words are matched exactly.
        sizing: mechanism; sensitivity of words that the public embedding lacks or drops (None leaves them out); bound
            on the numbers in the private vectors (default 1000 times the largest sensitivity).

    Raises:
        InputError: if the two embeddings have no word in common or different dimensions, a number exceeds the bound, or
            the mechanism is not publishable.
    """
    gaussian, sensitivity = _releasable(sizing.mechanism), sizing.sensitivity
    if public.embeddings.dimension != embeddings.dimension:
        raise InputError(
            f"the public embedding has {public.embeddings.dimension} dimensions, the private one "
            f"{embeddings.dimension}, so its distances do not apply: choose one with the same dimension"
        )
    rows = np.array([public.embeddings.row_of.get(word, -1) for word in embeddings.words.tolist()])
    known = (rows >= 0) & public.released[rows]
    if not known.any():
        raise InputError("the public embedding and the private one have no word in common: choose another public one")
    constant = 0.0 if sensitivity is None else _positive(sensitivity, "sensitivity")
    public_sensitivities = gaussian.over(np.append(np.where(public.released, public.sensitivity, 0), constant))
    # The last sensitivity is for words that the public embedding lacks
    word_sensitivities = public_sensitivities[np.where(known, rows, -1)]
    released_rows = np.flatnonzero(known | (sensitivity is not None))
    graph = {name: value for name, value in public.neighbouring.items() if name != "words"}
    terms = {"public_embedding": public.embeddings.identity, "public_words": len(public), **graph}
    missing_words_terms: dict[str, Any] = {"words_it_lacks": "left out"}
    if sensitivity is not None:
        missing_words_terms = {"words_it_lacks": "the constant", "sensitivity": constant}
    basis = Basis(
        embeddings,
        embeddings.subset(released_rows),
        gaussian,
        Differences(word_sensitivities[released_rows], embeddings.dimension, np.inf, "public graph"),
        Attacked(public.embeddings, public_sensitivities[:-1], rows[known]),
        terms | missing_words_terms,
        public=public.without_approximate_lists(),
    )
    return _within_bound(sizing.bound, basis)


def public_sensitivity(embeddings: Embeddings, sensitivity: float, bound: float | None = None) -> Basis:
    """Return the basis of a release with one noise scale for all words, calibrated to a public constant.

    Args:
        embeddings: n private words.
        sensitivity: largest distance between two possible vectors of a word.
        bound: bound on the absolute value of the vectors' numbers; default 1000 times the sensitivity.

    Raises:
        InputError: if the constant is not above 0, or a number exceeds the bound.
    """
    constant = _positive(sensitivity, "sensitivity")
    values = np.full(len(embeddings), constant)
    differences = Differences(
        values, embeddings.dimension, np.inf, "public sensitivity", constant=constant, selected=True
    )
    attacked = Attacked(embeddings, values, np.arange(len(embeddings)))
    return _within_bound(
        bound, Basis(embeddings, embeddings, Gaussian(), differences, attacked, {"sensitivity": constant})
    )


def clipped_to(embeddings: Embeddings, length: float) -> Basis:
    """Return the basis of a release that hides any replacement of one word's vector.

    Args:
        embeddings: n private words.
        length: length R to which longer vectors are clipped, so any two vectors are at most 2 R apart.

    Raises:
        InputError: if the length is not above 0.
    """
    clipped_embeddings = Embeddings(embeddings.words, clipped(embeddings.vectors, _positive(length, "clip")))
    basis = public_sensitivity(clipped_embeddings, 2 * length, length)
    differences = replace(basis.differences, between="any vectors", constant=float(length))
    return replace(basis, original=embeddings, differences=differences, terms={"clip": float(length)})


def clipped(vectors: Floats, length: float) -> Floats:
    """Return vectors (n, d) clipped to a length. Rounding never makes them longer."""
    rounded = np.empty(vectors.shape, dtype=np.float32)
    for block in slices(len(vectors), _ROWS):
        rounded[block] = _clipped(vectors[block], length)
    return rounded


def _clipped(vectors: Floats, length: float) -> Floats:
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1)
    factors = np.minimum(1.0, length * _SHORTER / np.maximum(lengths, np.finfo(float).tiny))
    exact = np.where(lengths[:, None] > length * _SHORTER, vectors * factors[:, None], vectors)
    rounded = exact.astype(np.float32)
    too_large = np.abs(rounded) > np.abs(exact)  # below 1e-38, float32 has fewer digits, and _SHORTER is not enough
    rounded[too_large] = np.nextafter(rounded[too_large], np.float32(0))
    return rounded


def _within_bound(bound: float | None, basis: Basis) -> Basis:
    """Return a basis from public inputs, with a public bound on the numbers in the vectors.

    Raises:
        InputError: if a number exceeds the bound; the message does not say which.
    """
    sensitivity = basis.differences.sensitivity
    largest = _ROOM * float(sensitivity.max()) if bound is None else _positive(bound, "bound")
    if largest_number(basis.embeddings.vectors) > largest:
        raise InputError(
            f"the vectors hold numbers above the public bound of {largest:g}: give a larger one that does not depend "
            "on the vectors (bound), or shorten the vectors (clip)"
        )
    return replace(
        basis,
        differences=replace(basis.differences, largest=largest),
        terms=basis.terms | {"bound": largest},
        measures=[noise_measure(sensitivity)],
    )


def _releasable(mechanism: Mechanism | str) -> Gaussian:
    """Return a publishable mechanism with noise.

    Raises:
        InputError: if the mechanism is not publishable, or adds no noise.
    """
    chosen = named(mechanism) if isinstance(mechanism, str) else mechanism
    if not chosen.publishable or not isinstance(chosen, Gaussian):
        releasable = [
            name
            for name, mechanism_class in MECHANISMS.items()
            if mechanism_class.publishable and issubclass(mechanism_class, Gaussian)
        ]
        raise InputError(f"a release is made with {' or '.join(releasable)}, not {str(chosen)!r}")
    return chosen


def _positive(value: float, name: str) -> float:
    """Return a number.

    Raises:
        InputError: if it is not above 0 and finite.
    """
    if not 0 < value < np.inf:
        raise InputError(f"{name} must be above 0 and finite, not {value!r}")
    return float(value)
