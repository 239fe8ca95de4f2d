"""From an embedding to groups of its words: lists, then a new partition, or the series' partition with new words."""

from nadp.cli.groups import Grouped
from nadp.files.paths import absolute
from tasks.groups import Lists, extend_partition, make_partition, topics_of
from tasks.space import GraphTerms, annoy_index
from tasks.store.artefacts import Artefact, artefact
from tasks.store.private import Reference


def grouped(parameters: Grouped, embeddings: Reference, terms: GraphTerms) -> tuple[Artefact, Lists]:
    """Return a partition of the words of a public embedding, and the lists from which it was made."""
    lists = Lists(
        _file(parameters.prior_from), topics_of(embeddings, _file(parameters.topics)), _file(parameters.sensitive)
    )
    old_partition = _file(parameters.partition)
    if old_partition is not None:
        return extend_partition(embeddings, old_partition, lists), lists
    neighbours = annoy_index(embeddings, terms.n_neighbours, terms.search, terms.recall, terms.seed)
    return make_partition(embeddings, neighbours, parameters.asked(), lists), lists


def _file(path: str | None) -> Artefact | None:
    return None if path is None else artefact(absolute(path))
