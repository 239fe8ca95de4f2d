"""Embedding files of commands, and their graphs."""

from typing import TYPE_CHECKING

from nadp.cli.files import local_embedding
from nadp.embeddings import Embeddings
from nadp.errors import InputError
from nadp.files.durable import sha256_of
from nadp.space import EmbeddingSpace
from nadp.vocabulary import frequent_and_needed

if TYPE_CHECKING:
    from nadp.cli.audit import Neighbouring
    from nadp.cli.encode import Encode
    from nadp.cli.release import Release

_ALL = 10**9


def read(  # noqa: PLR0913 - how a file is read
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
        member: file of an archive.
        sha256: required hash; None for any.
        words: their number; None for all.
        strict: whether repeated and unusable words are refused.
        stored: whether the rows of a static model are meant, as they are stored, or its tokens.

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


def space_of(embeddings: Embeddings, given: "Release | Encode | Neighbouring") -> EmbeddingSpace:
    """Return the space of an embedding, by the parameters of its graph."""
    return EmbeddingSpace.build(
        embeddings,
        tau=given.tau,
        isolated=given.isolated,
        search=given.search,
        recall=given.recall,
        n_neighbours=given.n_neighbours,
        adjacency=given.adjacency,
    )
