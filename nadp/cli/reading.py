"""Reads the embedding files of commands, and builds their graphs and groups."""

from typing import TYPE_CHECKING

from nadp.attacks.topics import clustered_topics, listed_topics
from nadp.cli.files import local_embedding
from nadp.embeddings import Embeddings
from nadp.errors import InputError
from nadp.files.durable import sha256_of
from nadp.files.paths import absolute
from nadp.groups import Found, Sensitive, extended, listed_rows, load_partition
from nadp.search import nearest_neighbours
from nadp.space import EmbeddingSpace
from nadp.vocabulary import frequent_and_needed

if TYPE_CHECKING:
    from nadp.cli.audit import Neighbouring
    from nadp.cli.encode import Encode
    from nadp.cli.release import Release

_ALL = 10**9


def read(  # noqa: PLR0913 - the options of reading a file
    embedding: str,
    *,
    member: str | None = None,
    sha256: str | None = None,
    words: int | None = None,
    strict: bool = False,
    stored: bool = False,
) -> tuple[Embeddings, str]:
    """Return the most frequent words of an embedding file, and what was left out, for a message.

    Args:
        embedding: the path of a file, or "sample".
        member: name of the file in an archive.
        sha256: required hash; None for any.
        words: number of words; None for all.
        strict: whether repeated and unusable words are refused.
        stored: whether to read the rows of a static model as they are stored, instead of its tokens.

    Raises:
        InputError: if there is no such file, or it has another hash.
    """
    path = local_embedding(embedding)
    if sha256 and (found := sha256_of(path)) != sha256.lower():
        raise InputError(
            f"{path} has SHA-256 {found}, not {sha256}: it is damaged or another file; replace or remove it"
        )
    size = _ALL if words is None else words
    kept = frequent_and_needed(path, size=size, needed={}, member=member, strict=strict, stored=stored)
    return kept.embeddings, kept.counts.left_out


def read_given(given: "Release | Encode", *, stored: bool = False) -> tuple[Embeddings, str]:
    """Return what `read` returns for the embedding of some parameters."""
    return read(
        given.embedding,
        member=given.member,
        sha256=given.sha256,
        words=given.words,
        strict=given.strict,
        stored=stored,
    )


def space_of(embeddings: Embeddings, given: "Release | Encode | Neighbouring") -> EmbeddingSpace:
    """Return the space of an embedding, with a graph by the given parameters."""
    return EmbeddingSpace.build(
        embeddings,
        tau=given.tau,
        isolated=given.isolated,
        search=given.search,
        recall=given.recall,
        n_neighbours=given.n_neighbours,
        adjacency=given.adjacency,
    )


def groups_of(embeddings: Embeddings, given: "Release | Encode") -> Found:
    """Return groups of a public embedding's words: new groups, or groups of an earlier run with the new words added."""
    listed = absolute(given.topics)
    topics = clustered_topics(embeddings.vectors) if listed is None else listed_topics(listed, embeddings.words)[0]
    sensitive = None if given.sensitive is None else listed_rows(absolute(given.sensitive), embeddings)
    frequencies = absolute(given.prior_from)
    if given.partition is not None:
        made = extended(load_partition(absolute(given.partition)), embeddings, frequencies)
    else:
        search, recall = given.search, given.recall
        lists = nearest_neighbours(embeddings.points.vectors, given.n_neighbours, search=search, recall=recall)
        bounded = None if sensitive is None else Sensitive(sensitive, topics)
        made = given.asked().made(embeddings, lists, frequencies=frequencies, sensitive=bounded)
    return Found.of(made, embeddings, topics, sensitive)
