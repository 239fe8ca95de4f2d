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
    if sha256 and (actual_sha256 := sha256_of(path)) != sha256.lower():
        raise InputError(
            f"{path} has SHA-256 {actual_sha256}, not {sha256}: it is damaged or another file; replace or remove it"
        )
    size = _ALL if words is None else words
    vocabulary = frequent_and_needed(path, size=size, needed={}, member=member, strict=strict, stored=stored)
    return vocabulary.embeddings, vocabulary.counts.left_out


def read_given(parameters: "Release | Encode", *, stored: bool = False) -> tuple[Embeddings, str]:
    """Return what `read` returns for the embedding of some parameters."""
    return read(
        parameters.embedding,
        member=parameters.member,
        sha256=parameters.sha256,
        words=parameters.words,
        strict=parameters.strict,
        stored=stored,
    )


def space_of(embeddings: Embeddings, parameters: "Release | Encode | Neighbouring") -> EmbeddingSpace:
    """Return the space of an embedding, with a graph by the given parameters."""
    return EmbeddingSpace.build(
        embeddings,
        tau=parameters.tau,
        isolated=parameters.isolated,
        search=parameters.search,
        recall=parameters.recall,
        n_neighbours=parameters.n_neighbours,
        adjacency=parameters.adjacency,
    )


def groups_of(embeddings: Embeddings, parameters: "Release | Encode") -> Found:
    """Return groups of a public embedding's words: new groups, or groups of an earlier run with the new words added."""
    topic_list = absolute(parameters.topics)
    topics = (
        clustered_topics(embeddings.vectors) if topic_list is None else listed_topics(topic_list, embeddings.words)[0]
    )
    sensitive = None if parameters.sensitive is None else listed_rows(absolute(parameters.sensitive), embeddings)
    frequencies = absolute(parameters.prior_from)
    if parameters.partition is not None:
        partition = extended(load_partition(absolute(parameters.partition)), embeddings, frequencies)
    else:
        search, recall = parameters.search, parameters.recall
        lists = nearest_neighbours(embeddings.points.vectors, parameters.n_neighbours, search=search, recall=recall)
        sensitive_topics = None if sensitive is None else Sensitive(sensitive, topics)
        partition = parameters.asked().made(embeddings, lists, frequencies=frequencies, sensitive=sensitive_topics)
    return Found.of(partition, embeddings, topics, sensitive)
