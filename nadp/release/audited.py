"""A release and the original, with the noise calibration that the certificate states, for an audit."""

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from nadp.audit.certified import Certified
from nadp.audit.pair import Pair, paired
from nadp.components import Neighbourhoods
from nadp.embeddings import Embeddings
from nadp.errors import InputError
from nadp.graph import NeighbourGraph
from nadp.mechanisms import Guarantee
from nadp.release.basis import Basis, Sizing
from nadp.release.graphs import space_with_graph
from nadp.search import nearest_neighbours
from nadp.space import EmbeddingSpace

_LISTS = 10  # neighbours per word, for the overlap


def audited_pair(
    original: Embeddings | EmbeddingSpace,
    released: Embeddings,
    claim: Certified | Guarantee | None = None,
    *,
    public: Embeddings | EmbeddingSpace | None = None,
    graph: Path | None = None,
) -> Pair:
    """Return original and release in the form that an audit needs, with the claimed noise scales.

    Args:
        original: n words without noise. It includes their graph, unless the graph is read from a file or the noise was
            not calibrated to it.
        released: the published table.
        claim: the claimed guarantee, or a certificate.
        public: the public embedding to whose graph the noise was calibrated, if any. It includes the graph, unless the
            graph is in a file.
        graph: the file in which the owner of a release keeps its graph, see nadp.release.graphs.

    Raises:
        InputError: if the claim needs a public embedding or a graph, and it is missing or a different one is given.
    """
    certified = claim if isinstance(claim, Certified) else None
    guarantee = certified.guarantee if certified else claim if isinstance(claim, Guarantee) else None
    if certified is None or certified.guarantee.between == "own graph":
        return paired(_with_graph(original, graph, certified), released, guarantee)
    all_words = original.embeddings if isinstance(original, EmbeddingSpace) else original
    released_words = all_words.subset([row for word, row in all_words.row_of.items() if word in released.row_of])
    if not len(released_words):
        raise InputError("the release and the original have no word in common")
    basis = _basis(released_words, certified, public, graph)
    pair = paired(_sized_space(basis), released, guarantee)
    return replace(pair, sensitivity=basis.differences.sensitivity, unreleased=len(all_words) - len(pair.space))


def _with_graph(
    embeddings: Embeddings | EmbeddingSpace, graph: Path | None, certified: Certified | None
) -> EmbeddingSpace:
    """Return the given space, or an embedding with the graph from a file."""
    if isinstance(embeddings, EmbeddingSpace):
        return embeddings
    if graph is None:
        raise InputError("the claim depends on a graph: give the space, or the file of the graph (graph)")
    return space_with_graph(embeddings, graph, certified.graph_sha256 if certified else None)


def _basis(
    released_words: Embeddings, certified: Certified, public: Embeddings | EmbeddingSpace | None, graph: Path | None
) -> Basis:
    """Return the basis of a release of some words, as its certificate states it."""
    terms, space = certified.neighbouring, None
    if certified.guarantee.between == "public graph":
        if public is None:
            raise InputError(
                "the certificate says that the noise was calibrated to the graph of a public embedding: give that "
                "embedding (neighbourhoods_from)"
            )
        space = _with_graph(public, graph, certified)
        if space.embeddings.identity != terms["public_embedding"]:
            raise InputError(
                "the public embedding (neighbourhoods_from) is not the one that the certificate names: its words or "
                "vectors differ"
            )
    bound = None if "clip" in terms else terms.get("bound")
    return Sizing(certified.guarantee.mechanism, terms.get("sensitivity"), terms.get("clip"), bound).basis(
        released_words, space
    )


@dataclass(frozen=True, eq=False)
class PublicNeighbourhoods(Neighbourhoods):
    """Sets of words to which public inputs give the same noise scale. There are no edges: no graph is needed.

    Attributes:
        public: (k,) the public sensitivity of each set of words.
    """

    public: npt.NDArray[np.float64]

    @cached_property
    def sensitivity(self) -> npt.NDArray[np.float64]:
        """(k,) the public sensitivity of each set of words."""
        return self.public

    @cached_property
    def global_sensitivity(self) -> float:
        """The largest public sensitivity."""
        return float(self.public.max())


def _sized_space(basis: Basis) -> EmbeddingSpace:
    """Return the words of a release, in sets that have the same noise scale."""
    points, terms = basis.embeddings.points, basis.terms
    distinct_sensitivities, labels = np.unique(basis.differences.sensitivity[points.first_word], return_inverse=True)
    no_edges = np.empty((0, 2), dtype=np.int32), np.empty(0)
    tau, adjacency = float(terms.get("tau", 0)), int(terms.get("adjacency", 2))
    graph = NeighbourGraph(*no_edges, len(points), tau, adjacency, _LISTS, mutual=False)
    is_isolated = np.zeros(len(points), dtype=bool)
    neighbourhoods = PublicNeighbourhoods(
        graph, labels.astype(np.int32), "nearest", is_isolated, distinct_sensitivities
    )
    return EmbeddingSpace(basis.embeddings, nearest_neighbours(points.vectors, _LISTS), neighbourhoods)
