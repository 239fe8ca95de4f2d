"""The embedding space, step by step: neighbours, graph, components."""

from dataclasses import dataclass
from functools import lru_cache, partial

from prefect import task

from nadp.components import Isolated, neighbourhoods
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
from nadp.search import Search, nearest_neighbours
from nadp.space import EmbeddingSpace
from tasks.store.artefacts import Artefact, loaded, stored
from tasks.store.caching import CACHED


@dataclass(frozen=True)
class Space:
    """Where the parts of an embedding space lie."""

    embeddings: Artefact
    neighbours: Artefact
    neighbourhoods: Artefact


@task(name="annoy-index", task_run_name="{search}-index", **CACHED)
def annoy_index(embeddings: Artefact, n_neighbours: int, search: Search, recall: float, seed: int) -> Artefact:
    """Return the neighbour lists of all distinct vectors, found with Annoy or exactly."""
    points = loaded(embeddings, load_embeddings).points.vectors
    found = nearest_neighbours(points, n_neighbours, search=search, recall=recall, seed=seed)
    return stored(partial(save_neighbours, neighbours=found), ".npz")


@task(name="neighbour-graph", task_run_name="neighbour-graph tau={tau}", **CACHED)
def neighbour_graph(neighbours: Artefact, tau: float, adjacency: int) -> Artefact:
    """Return the nearest-neighbour graph (Algorithm 1)."""
    graph = graph_of(loaded(neighbours, load_neighbours), tau=tau, adjacency=adjacency)
    return stored(partial(save_graph, graph=graph), ".npz")


@task(name="components", task_run_name="components isolated={isolated}", **CACHED)
def components(embeddings: Artefact, neighbours: Artefact, graph: Artefact, isolated: Isolated) -> Space:
    """Return the embedding space: the graph's components and their sensitivities (Algorithm 2)."""
    found = neighbourhoods(loaded(graph, load_graph), loaded(neighbours, load_neighbours), isolated)
    return Space(embeddings, neighbours, stored(partial(save_neighbourhoods, value=found), ".npz"))


@lru_cache(maxsize=4)
def space_of(space: Space) -> EmbeddingSpace:
    """Return the embedding space that is stored."""
    return EmbeddingSpace(
        loaded(space.embeddings, load_embeddings),
        loaded(space.neighbours, load_neighbours),
        loaded(space.neighbourhoods, load_neighbourhoods),
    )
