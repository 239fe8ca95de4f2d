"""The chain from an embedding to its spaces: neighbours, graph, components."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from prefect import Task, task

from nadp.choices import Isolated, Search
from nadp.components import neighbourhoods
from nadp.files.arrays import (
    load_embeddings,
    load_graph,
    load_neighbourhoods,
    load_neighbours,
    save_graph,
    save_neighbourhoods,
    save_neighbours,
)
from nadp.graph import neighbour_graph as graph_of
from nadp.search import nearest_neighbours
from nadp.space import EmbeddingSpace
from tasks.embedding import ALL_WORDS, EmbeddingFile, KeptWords, frequency_filter_vocab
from tasks.store.caching import CACHED
from tasks.store.private import Held, Reference, kept, loaded, unkept

Run = Callable[..., Any]
"""Runs a task with some arguments and returns its result."""


@dataclass(frozen=True)
class Space:
    """References to the parts of an embedding space."""

    embeddings: Reference
    neighbours: Reference
    neighbourhoods: Reference


Spaces = dict[tuple[float | None, Isolated | None], Space]
"""Spaces by tau and policy; a curve without a graph has neither."""


@dataclass(frozen=True)
class GraphTerms:
    """Parameters of an embedding's graph, except tau and the policy for isolated words.

    Attributes:
        search: how neighbours are found.
        recall: share of the true neighbours that an approximate search must find.
        n_neighbours: length of the lists, the word itself included.
        adjacency: number of words of a list that count as adjacent, the word itself included.
        seed: seed of an approximate search.
    """

    search: Search = "auto"
    recall: float = 0.95
    n_neighbours: int = 10
    adjacency: int = 2
    seed: int = 0


@task(name="annoy-index", task_run_name="{search}-index", **CACHED)
def annoy_index(embeddings: Reference, n_neighbours: int, search: Search, recall: float, seed: int) -> Reference:
    """Return the neighbour lists of all distinct vectors, found with Annoy or exactly."""
    points = loaded(embeddings, load_embeddings).points.vectors
    neighbours = nearest_neighbours(points, n_neighbours, search=search, recall=recall, seed=seed)
    return kept(neighbours, save_neighbours, private=isinstance(embeddings, Held))


@task(name="neighbour-graph", task_run_name="neighbour-graph tau={tau}", **CACHED)
def neighbour_graph(neighbours: Reference, tau: float, adjacency: int) -> Reference:
    """Return the nearest-neighbour graph (Algorithm 1)."""
    graph = graph_of(loaded(neighbours, load_neighbours), tau=tau, adjacency=adjacency)
    return kept(graph, save_graph, private=isinstance(neighbours, Held))


@task(name="components", task_run_name="components isolated={isolated}", **CACHED)
def components(embeddings: Reference, neighbours: Reference, graph: Reference, isolated: Isolated) -> Space:
    """Return the embedding space: the graph's components and their sensitivities (Algorithm 2)."""
    space_components = neighbourhoods(loaded(graph, load_graph), loaded(neighbours, load_neighbours), isolated)
    return Space(
        embeddings, neighbours, kept(space_components, save_neighbourhoods, private=isinstance(embeddings, Held))
    )


def spaces(
    words: KeptWords, taus: Sequence[float], policies: Sequence[Isolated], terms: GraphTerms, run: Run
) -> Spaces:
    """Return the embedding spaces of the words, one for each tau and policy for isolated words."""
    neighbours = run(annoy_index, words.embeddings, terms.n_neighbours, terms.search, terms.recall, terms.seed)
    space_by_graph: Spaces = {}
    for tau in dict.fromkeys(taus):
        graph = run(neighbour_graph, neighbours, tau, terms.adjacency)
        for policy in dict.fromkeys(policies):
            space_by_graph[tau, policy] = run(components, words.embeddings, neighbours, graph, policy)
    return space_by_graph


def whole(source: EmbeddingFile, words: int | None) -> KeptWords:
    """Return the first words of an embedding, or all; a private one is not cached."""
    run = unkept if source.private else _run
    kept_words: KeptWords = run(frequency_filter_vocab, source, ALL_WORDS if words is None else words, [])
    return kept_words


def whole_space(
    source: EmbeddingFile, words: int | None, tau: float, isolated: Isolated, terms: GraphTerms
) -> tuple[KeptWords, Space]:
    """Return the first words of an embedding, or all, and their space; a private one is not cached."""
    run = unkept if source.private else _run
    kept_words = whole(source, words)
    return kept_words, spaces(kept_words, [tau], [isolated], terms, run)[tau, isolated]


def words_or_space(
    source: EmbeddingFile, words: int | None, tau: float, isolated: Isolated, terms: GraphTerms | None
) -> Space | Reference:
    """Return the first words of an embedding, or all; with their space if `terms` is given."""
    return whole(source, words).embeddings if terms is None else whole_space(source, words, tau, isolated, terms)[1]


def _run(task: Task[..., Any], *arguments: Any) -> Any:  # noqa: ANN401 - any task
    return task(*arguments)


def space_of(space: Space) -> EmbeddingSpace:
    """Return a stored embedding space; a space in files is cached in this process."""
    return _space_of(space) if isinstance(space.embeddings, Held) else _kept_space_of(space)


def _space_of(space: Space) -> EmbeddingSpace:
    return EmbeddingSpace(
        loaded(space.embeddings, load_embeddings),
        loaded(space.neighbours, load_neighbours),
        loaded(space.neighbourhoods, load_neighbourhoods),
    )


_kept_space_of = lru_cache(maxsize=4)(_space_of)
