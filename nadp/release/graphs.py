"""The graph of a release as a file for its owner's audits: an approximate search may find another graph elsewhere."""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from nadp.components import Neighbourhoods
from nadp.embeddings import Embeddings
from nadp.errors import FormatError, InputError
from nadp.files.arrays import graph_note, save_arrays
from nadp.files.durable import make_private, put, sha256_of
from nadp.files.tables import read_arrays
from nadp.graph import NeighbourGraph
from nadp.search import NearestNeighbours
from nadp.space import EmbeddingSpace

_ARRAYS = ("indices", "distances", "edges", "lengths", "labels", "was_isolated", "salt")
_SALT = 32  # random bytes in the file, so that its hash cannot confirm a guess of the vectors


def save_graph_of(space: EmbeddingSpace, path: Path) -> str:
    """Write the graph of a space to a file that only its owner can read, and return the file's SHA-256."""
    lists, neighbourhoods = space.neighbours, space.neighbourhoods
    note = {
        "identity": space.embeddings.identity,
        "isolated": neighbourhoods.isolated,
        "graph": graph_note(neighbourhoods.graph),
        "lists": {"search": lists.search, "recall": lists.recall, "details": lists.details},
    }
    salt = np.frombuffer(os.urandom(_SALT), dtype=np.uint8)
    arrays: dict[str, npt.NDArray[Any]] = {"indices": lists.indices, "distances": lists.distances}
    arrays |= {"edges": neighbourhoods.graph.edges, "lengths": neighbourhoods.graph.lengths}
    arrays |= {"labels": neighbourhoods.labels, "was_isolated": neighbourhoods.was_isolated, "salt": salt}
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if path.exists():
        make_private(path)  # the new file keeps its permissions
    put(path, lambda part: save_arrays(part, note, **arrays), private=True)
    return sha256_of(path)


def space_with_graph(embeddings: Embeddings, path: Path, sha256: str | None = None) -> EmbeddingSpace:
    """Return the space of an embedding with a graph that `save_graph_of` wrote.

    Args:
        embeddings: the words and vectors that the graph was built from.
        path: path of the file.
        sha256: the SHA-256 that the file must have, from a certificate; None for no check.

    Raises:
        InputError: if there is no such file, or it holds the graph of other vectors or of another release.
        FormatError: if the file holds no graph.
    """
    if not path.is_file():
        raise InputError(f"no graph {str(path)!r}: give the file that was kept when the release was made")
    if sha256 is not None and sha256_of(path) != sha256:
        raise InputError(f"{path} is not the graph that the certificate names: its SHA-256 is not {sha256}")
    try:
        arrays = read_arrays(path, ("note", *_ARRAYS))
        note = json.loads(arrays["note"].tobytes())
        lists = NearestNeighbours(arrays["indices"], arrays["distances"], **note["lists"])
        graph = NeighbourGraph(arrays["edges"], arrays["lengths"], **note["graph"])
        neighbourhoods = Neighbourhoods(graph, arrays["labels"], note["isolated"], arrays["was_isolated"])
        is_same_embedding = note["identity"] == embeddings.identity
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise FormatError(f"{path} is not the graph of a release: {error}") from error
    if not is_same_embedding:
        raise InputError(
            f"{path} is the graph of other words or vectors: give the graph or the vectors of this release"
        )
    return EmbeddingSpace(embeddings, lists, neighbourhoods)
