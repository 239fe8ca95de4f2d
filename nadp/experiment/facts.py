"""Facts about a graph and its words that go into manifests and reports."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nadp.choices import Isolated
from nadp.errors import NoSensitivityError
from nadp.space import EmbeddingSpace

_LARGEST = 5


@dataclass(frozen=True)
class GraphFacts:
    """One neighbour graph under one policy for isolated words.

    Attributes:
        tau: tau of the graph.
        isolated: the policy.
        edges: number of edges, including those that the policy added.
        components: number of components.
        largest: number of distinct vectors in each of the largest components.
        sizes: number of components of each size.
        isolated_words: number of words that are isolated in the graph of Algorithm 1.
        isolated_share: their share of all words.
        words_without_noise: number of released words whose noise is zero under the nadp mechanism.
        sensitivity_global: longest edge; NaN without edges.
        sensitivity_median: median over the words of the longest edge of their component; NaN if it is not defined.
    """

    tau: float
    isolated: Isolated
    edges: int
    components: int
    largest: tuple[int, ...]
    sizes: dict[str, int]
    isolated_words: int
    isolated_share: float
    words_without_noise: int
    sensitivity_global: float
    sensitivity_median: float


def graph_facts(space: EmbeddingSpace) -> GraphFacts:
    """Return the facts of a space's graph."""
    neighbourhoods = space.neighbourhoods
    longest_edge, sensitivity = _sensitivities(space)
    isolated = neighbourhoods.was_isolated[space.point_of_word]
    return GraphFacts(
        tau=neighbourhoods.graph.tau,
        isolated=neighbourhoods.isolated,
        edges=len(neighbourhoods.graph),
        components=len(neighbourhoods.sizes),
        largest=tuple(int(size) for size in np.sort(neighbourhoods.sizes)[::-1][:_LARGEST]),
        sizes={str(size): int(count) for size, count in enumerate(np.bincount(neighbourhoods.sizes)) if count},
        isolated_words=int(isolated.sum()),
        isolated_share=float(isolated.mean()),
        words_without_noise=int((sensitivity == 0).sum()),
        sensitivity_global=longest_edge,
        sensitivity_median=float(np.median(sensitivity)) if len(sensitivity) else np.nan,
    )


def _sensitivities(space: EmbeddingSpace) -> tuple[float, npt.NDArray[np.float64]]:
    """Return the longest edge of a graph and the sensitivity of each released word; NaN where there is none."""
    neighbourhoods = space.neighbourhoods
    try:
        return neighbourhoods.global_sensitivity, space.sensitivity[space.released]
    except NoSensitivityError:
        undefined = neighbourhoods.isolated == "global"
        words = int(space.released.sum())
        return np.nan, np.full(words, np.nan) if undefined else np.zeros(words)


@dataclass(frozen=True)
class SpaceFacts:
    """Number of words and points, and the quality of the neighbour lists.

    Attributes:
        words: number of words.
        distinct_vectors: number of points.
        dimension: dimension of the vectors.
        n_neighbours: length of the neighbour lists, including the word itself.
        search: how the neighbours were found.
        recall: share of the true neighbours in the lists, measured on a sample.
        search_details: tuned parameters of the search.
    """

    words: int
    distinct_vectors: int
    dimension: int
    n_neighbours: int
    search: str
    recall: float
    search_details: str


def space_facts(space: EmbeddingSpace) -> SpaceFacts:
    """Return the facts of a space's words and neighbour lists."""
    lists = space.neighbours
    return SpaceFacts(
        words=len(space),
        distinct_vectors=space.neighbourhoods.graph.n_points,
        dimension=space.embeddings.dimension,
        n_neighbours=lists.n_neighbours,
        search=lists.search,
        recall=lists.recall,
        search_details=lists.details,
    )
