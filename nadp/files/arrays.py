"""The library's values as files: uncompressed .npz without pickles; equal values give equal bytes."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from nadp.components import Neighbourhoods
from nadp.embeddings import Embeddings, Ids
from nadp.errors import FormatError
from nadp.graph import NeighbourGraph
from nadp.search import NearestNeighbours


def save_embeddings(path: Path, embeddings: Embeddings) -> None:
    """Write an embedding."""
    save_arrays(path, {"counts": embeddings.counts}, words=_packed(embeddings), vectors=embeddings.vectors)


def load_embeddings(path: Path) -> Embeddings:
    """Return the embedding written by save_embeddings."""
    note, arrays = load_arrays(path, "words", "vectors")
    words = arrays["words"].tobytes().decode().split("\n")
    return Embeddings(words, arrays["vectors"], note["counts"])


def save_neighbours(path: Path, neighbours: NearestNeighbours) -> None:
    """Write neighbour lists."""
    note = {"search": neighbours.search, "recall": neighbours.recall, "details": neighbours.details}
    save_arrays(path, note, indices=neighbours.indices, distances=neighbours.distances)


def load_neighbours(path: Path) -> NearestNeighbours:
    """Return the neighbour lists written by save_neighbours."""
    note, arrays = load_arrays(path, "indices", "distances")
    return NearestNeighbours(arrays["indices"], arrays["distances"], **note)


def save_graph(path: Path, graph: NeighbourGraph) -> None:
    """Write a graph."""
    save_arrays(path, graph_note(graph), edges=graph.edges, lengths=graph.lengths)


def load_graph(path: Path) -> NeighbourGraph:
    """Return the graph written by save_graph."""
    note, arrays = load_arrays(path, "edges", "lengths")
    return NeighbourGraph(arrays["edges"], arrays["lengths"], **note)


def save_neighbourhoods(path: Path, value: Neighbourhoods) -> None:
    """Write neighbourhoods, with their graph."""
    note = {"isolated": value.isolated, "graph": graph_note(value.graph)}
    edges, lengths = value.graph.edges, value.graph.lengths
    save_arrays(path, note, labels=value.labels, was_isolated=value.was_isolated, edges=edges, lengths=lengths)


def load_neighbourhoods(path: Path) -> Neighbourhoods:
    """Return the neighbourhoods written by save_neighbourhoods."""
    note, arrays = load_arrays(path, "labels", "was_isolated", "edges", "lengths")
    graph = NeighbourGraph(arrays["edges"], arrays["lengths"], **note["graph"])
    return Neighbourhoods(graph, arrays["labels"], note["isolated"], arrays["was_isolated"])


def save_topics(path: Path, topics: Ids) -> None:
    """Write the topic of each word."""
    save_arrays(path, {}, topics=topics)


def load_topics(path: Path) -> Ids:
    """Return the topics written by save_topics."""
    topics: Ids = load_arrays(path, "topics")[1]["topics"]
    return topics


def graph_note(graph: NeighbourGraph) -> dict[str, Any]:
    """Return the parameters of a graph."""
    return {
        "n_points": graph.n_points,
        "tau": graph.tau,
        "adjacency": graph.adjacency,
        "n_neighbours": graph.n_neighbours,
        "mutual": graph.mutual,
    }


def _packed(embeddings: Embeddings) -> npt.NDArray[np.uint8]:
    """Return the words as bytes, one to a line."""
    return np.frombuffer("\n".join(embeddings.words.tolist()).encode(), dtype=np.uint8)


def save_arrays(path: Path, note: dict[str, Any], **arrays: npt.NDArray[Any]) -> None:
    """Write arrays with a note of plain JSON values."""
    text = np.frombuffer(json.dumps(note, sort_keys=True).encode(), dtype=np.uint8)
    with path.open("wb") as file:
        np.savez(file, allow_pickle=False, note=text, **arrays)


def load_arrays(path: Path, *names: str) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Return the note and the arrays that save_arrays wrote.

    Raises:
        FormatError: if the file holds other arrays.
    """
    with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:  # np.load leaves a damaged file open
        if {*names, "note"} != set(archive.files):
            raise FormatError(f"{path} holds {', '.join(archive.files)}, not {', '.join(names)}")
        return json.loads(archive["note"].tobytes()), {name: archive[name] for name in names}
