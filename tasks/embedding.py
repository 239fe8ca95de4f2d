"""From a GloVe archive to the kept words."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from prefect import task

from nadp.errors import InputError
from nadp.files.arrays import save_embeddings
from nadp.vocabulary import WordCounts, frequent_and_needed
from tasks.sources.archives import GLOVE
from tasks.sources.benchmarks.fetching import Fetched, check_known, needed_words
from tasks.sources.downloads import downloaded
from tasks.sources.places import local_file
from tasks.sources.retries import NETWORK_RETRIES
from tasks.store.artefacts import Artefact, artefact
from tasks.store.caching import CACHED
from tasks.store.home import home
from tasks.store.private import Reference, kept

ALL_WORDS = 10**9


@dataclass(frozen=True)
class EmbeddingFile:
    """A requested embedding.

    Attributes:
        name: of the embedding.
        file: of the embedding.
        member: file of an archive.
        private: whether it must not be cached.
        strict: whether repeated and unusable words are refused.
    """

    name: str
    file: Artefact
    member: str | None
    private: bool = False
    strict: bool = False


@dataclass(frozen=True)
class KeptWords:
    """The kept words: the embedding, their number, and why each word was kept."""

    embeddings: Reference
    words: int
    counts: WordCounts


@task(name="download-glove", task_run_name="download-glove {embedding}", **NETWORK_RETRIES)
def download_glove(
    embedding: str, member: str | None = None, sha256: str | None = None, private: bool = False, strict: bool = False
) -> EmbeddingFile:
    """Return the file of an embedding: "sample", the name of a published table, or a local path, which may be private.

    Raises:
        InputError: if there is no such file, or it has another hash.
    """
    archive = GLOVE.get(embedding)
    if archive is not None:
        where, member = archive[0], member or archive[1]
        expected = sha256 or where.sha256
        file = downloaded(where.urls(), home() / "downloads" / where.file, expected)
        return EmbeddingFile(embedding, _checked(artefact(file), expected), member, strict=strict)
    found = _checked(artefact(local_file(embedding)), sha256)
    return EmbeddingFile(f"{Path(found.path).name}{':' + member if member else ''}", found, member, private, strict)


def _checked(file: Artefact, sha256: str | None) -> Artefact:
    """Return a file if it has the required hash."""
    if sha256 and file.sha256 != sha256.lower():
        raise InputError(
            f"{file.path} has SHA-256 {file.sha256}, not {sha256}: it is damaged or another file; replace or remove it"
        )
    return file


@task(name="frequency-filter-vocab", task_run_name="frequency-filter-vocab {words} words", **CACHED)
def frequency_filter_vocab(
    source: EmbeddingFile,
    words: int,
    benchmarks: Sequence[Fetched],
    frequencies: Artefact | None = None,
) -> KeptWords:
    """Return the most frequent words of an embedding and those that the benchmarks need.

    Raises:
        InputError: if too few words of a benchmark are known to score it.
    """
    found = frequent_and_needed(
        source.file.local(),
        size=words,
        needed=needed_words(benchmarks),
        frequencies=frequencies.local() if frequencies else None,
        member=source.member,
        strict=source.strict,
    )
    check_known(benchmarks, found.embeddings)
    reference = kept(found.embeddings, save_embeddings, private=source.private)
    return KeptWords(reference, len(found.embeddings), found.counts)
