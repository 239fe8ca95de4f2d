"""From a GloVe archive to the kept words."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from prefect import task

from nadp.errors import InputError
from nadp.files.arrays import save_embeddings
from nadp.files.model_places import files_beside, folder_of, is_model, tokenizer_of
from nadp.vocabulary import WordCounts, frequent_and_needed
from tasks.sources.archives import GLOVE
from tasks.sources.benchmarks.fetching import FetchedBenchmark, check_known, needed_words
from tasks.sources.downloads import downloaded, from_web
from tasks.sources.places import check_embedding, local_file, place_of, repository_of, shown
from tasks.sources.repositories import from_repository
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
        name: name of the embedding.
        file: file of the embedding.
        member: file of an archive.
        private: whether it must not be cached.
        strict: whether repeated and unusable words are refused.
        stored: whether to read the stored rows of a static model instead of its tokens; see read_embeddings.
        beside: files of a static model that belong to it.
    """

    name: str
    file: Artefact
    member: str | None
    private: bool = False
    strict: bool = False
    stored: bool = False
    beside: tuple[Artefact, ...] = ()

    @property
    def tokenizer(self) -> str | None:
        """The content of a static model's tokenizer.json; None for any other embedding."""
        return tokenizer_of(self.file.local())


@dataclass(frozen=True)
class KeptWords:
    """The kept words: the embedding, their number, and why each word was kept."""

    embeddings: Reference
    words: int
    counts: WordCounts


@task(name="download-glove", task_run_name="download-glove {embedding}", **NETWORK_RETRIES)
def download_glove(
    embedding: str,
    member: str | None = None,
    sha256: str | None = None,
    private: bool = False,
    strict: bool = False,
    stored: bool = False,
) -> EmbeddingFile:
    """Return the file of an embedding: "sample", a published table, a URL, a name of the Hub, or a local path.

    Raises:
        InputError: if there is no such file, it has another hash, or it is private and would be cached.
    """
    check_embedding(embedding, private=private)
    located = _located(embedding, member, sha256)
    file = artefact(located.path)
    if located.sha256 and file.sha256 != located.sha256.lower():
        raise InputError(
            f"{file.path} has SHA-256 {file.sha256}, not {located.sha256}: it is damaged or another file; replace or "
            "remove it"
        )
    companions = tuple(map(artefact, files_beside(located.path))) if is_model(located.path) else ()
    return EmbeddingFile(located.name, file, located.member, private, strict, stored, companions)


class _LocatedFile(NamedTuple):
    """The file of an embedding, its name, the member to read, and the required hash."""

    path: Path
    name: str
    member: str | None
    sha256: str | None


def _located(embedding: str, member: str | None, sha256: str | None) -> _LocatedFile:
    """Return the file of an embedding; download it if it is not on this disk."""
    place, member_suffix = place_of(embedding), f":{member}" if member else ""
    if place == "published":
        archive, only_member = GLOVE[embedding]
        expected = sha256 or archive.sha256
        file = downloaded(archive.urls(), home() / "downloads" / archive.file, expected)
        return _LocatedFile(file, embedding, member or only_member, expected)
    if place == "hub":
        repository = repository_of(embedding)
        file, name = from_repository(repository.name, repository.revision, member)
        return _LocatedFile(file, name, None, sha256)
    if place == "url":
        return _LocatedFile(from_web(embedding, sha256), f"{shown(embedding)}{member_suffix}", member, sha256)
    file = local_file(embedding)
    return _LocatedFile(file, f"{folder_of(file).name if is_model(file) else file.name}{member_suffix}", member, sha256)


@task(name="frequency-filter-vocab", task_run_name="frequency-filter-vocab {words} words", **CACHED)
def frequency_filter_vocab(
    source: EmbeddingFile,
    words: int,
    benchmarks: Sequence[FetchedBenchmark],
    frequencies: Artefact | None = None,
) -> KeptWords:
    """Return the most frequent words of an embedding, and the words that the benchmarks need.

    Raises:
        InputError: if the embedding has too few words of a benchmark to score it.
    """
    vocabulary = frequent_and_needed(
        source.file.local(),
        size=words,
        needed=needed_words(benchmarks),
        frequencies=frequencies.local() if frequencies else None,
        member=source.member,
        strict=source.strict,
        stored=source.stored,
    )
    check_known(benchmarks, vocabulary.embeddings)
    reference = kept(vocabulary.embeddings, save_embeddings, private=source.private)
    return KeptWords(reference, len(vocabulary.embeddings), vocabulary.counts)
