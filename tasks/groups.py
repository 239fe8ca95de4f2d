"""Groups of words: their topics, their partition, and its entry in the ledger."""

from dataclasses import dataclass

from prefect import task
from prefect.artifacts import create_markdown_artifact

from nadp.attacks.topics import clustered_topics, listed_topics
from nadp.choices import Unknown
from nadp.cli.files import ledger_file
from nadp.embeddings import Ids
from nadp.files.arrays import load_embeddings, load_neighbours, load_topics, save_topics
from nadp.groups import Asked, Found, Sensitive, extended, listed_rows, load_partition, save_partition
from nadp.release import Ledger
from nadp.release.codebook import CodebookOrder
from nadp.release.codebook import publish_codebook as publish
from nadp.release.partitions import PartitionSeries
from nadp.texts import GroupMechanism, Subwords, group_encoder
from nadp.tokens import Tokenizer
from tasks.embedding import EmbeddingFile
from tasks.store.artefacts import Artefact, stored
from tasks.store.caching import CACHED
from tasks.store.private import UNKEPT, Reference, loaded


@dataclass(frozen=True)
class Lists:
    """Lists of words from which groups are made.

    Attributes:
        frequencies: word frequencies for the prior; None if not given.
        topics: the topic of each word of the embedding.
        sensitive: words whose topics must not be revealed; None if not given.
    """

    frequencies: Artefact | None
    topics: Artefact
    sensitive: Artefact | None


@task(name="topics", task_run_name="topics", **CACHED)
def topics_of(embeddings: Reference, listed: Artefact | None) -> Artefact:
    """Return the topic of each word: from a list, or else one of 200 k-means clusters of the unit vectors."""
    known = loaded(embeddings, load_embeddings)
    topics = clustered_topics(known.vectors) if listed is None else listed_topics(listed.local(), known.words)[0]
    return stored(lambda path: save_topics(path, topics), ".npz")


@task(name="partition", task_run_name="partition", **CACHED)
def make_partition(embeddings: Reference, neighbours: Reference, asked: Asked, lists: Lists) -> Artefact:
    """Return groups of neighbouring words that meet the request."""
    rows = _sensitive(embeddings, lists)
    partition = asked.made(
        loaded(embeddings, load_embeddings),
        loaded(neighbours, load_neighbours),
        frequencies=lists.frequencies.local() if lists.frequencies else None,
        sensitive=None if rows is None else Sensitive(rows, loaded(lists.topics, load_topics)),
    )
    return stored(lambda path: save_partition(path, partition), ".npz")


@task(name="extend-partition", task_run_name="extend-partition", **CACHED)
def extend_partition(embeddings: Reference, old: Artefact, lists: Lists) -> Artefact:
    """Extend the partition of a series by an embedding's new words; words that would break a bound are left out."""
    frequencies = lists.frequencies.local() if lists.frequencies else None
    partition = extended(loaded(old, load_partition), loaded(embeddings, load_embeddings), frequencies)
    return stored(lambda path: save_partition(path, partition), ".npz")


@task(name="publish-codebook", retries=0, persist_result=False)
def publish_codebook(
    embeddings: Reference,
    partition: Artefact,
    lists: Lists,
    order: CodebookOrder,
    source: EmbeddingFile,
    ledger: str | None,
) -> int:
    """Check and publish a codebook; return how many words it holds.

    Raises:
        RefusedError: if the gate refuses.
        OtherPartitionError: if the series uses another partition.
    """
    groups, known = _groups_of(embeddings, partition, lists), loaded(embeddings, load_embeddings)
    certificate = publish(
        known.subset(groups.rows),
        groups.partition,
        groups.topics,
        order,
        Ledger(ledger_file(ledger)),
        source.file.sha256,
        groups.sensitive,
    )
    create_markdown_artifact(key="certificate", markdown=certificate.to_markdown(), description=str(order.out))
    return len(groups.rows)


@task(name="enter-partition", retries=0, **UNKEPT)
def enter_partition(partition: Artefact, series: PartitionSeries, ledger: str | None) -> str:
    """Record in the ledger that a series uses a partition, and save the partition beside the output; return the series.

    Raises:
        OtherPartitionError: if the series uses another partition, and a second one was not accepted.
    """
    return series.enter(Ledger(ledger_file(ledger)), loaded(partition, load_partition))


@task(name="prepare-group-encoder", task_run_name="prepare-group-encoder", **CACHED)
def prepare_group_encoder(
    embeddings: Reference,
    partition: Artefact,
    lists: Lists,
    between: GroupMechanism | None,
    unknown: Unknown,
    subwords: Artefact | None,
    tokenizer: Tokenizer,
) -> Artefact:
    """Return an encoder that gives each token the centroid of its word's group."""
    groups = _groups_of(embeddings, partition, lists)
    encoder = group_encoder(
        loaded(embeddings, load_embeddings),
        groups.partition,
        between=between,
        sensitive=groups.sensitive,
        unknown=unknown,
        subwords=Subwords.read(subwords.path) if subwords else None,
        tokenizer=tokenizer,
    )
    return stored(encoder.save, ".safetensors")


def _sensitive(embeddings: Reference, lists: Lists) -> Ids | None:
    """Return the rows of the sensitive words, if they are listed."""
    return (
        None if lists.sensitive is None else listed_rows(lists.sensitive.local(), loaded(embeddings, load_embeddings))
    )


def _groups_of(embeddings: Reference, partition: Artefact, lists: Lists) -> Found:
    topics, known = loaded(lists.topics, load_topics), loaded(embeddings, load_embeddings)
    return Found.of(loaded(partition, load_partition), known, topics, _sensitive(embeddings, lists))
