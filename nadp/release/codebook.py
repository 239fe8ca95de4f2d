"""A codebook: a public table that gives each word the centroid of its group, with a map and a certificate.

It is made from public vectors only. Someone who knows all but one of a group's vectors can compute the last one from
the centroid, so a codebook of private vectors or of documents would protect nothing.
"""

import json
import re
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from nadp.attacks.disclosure import Background, Disclosure, content_words, disclosed_by_groups
from nadp.embeddings import Embeddings, Ids
from nadp.errors import InputError
from nadp.files.durable import put, sha256_of
from nadp.files.formats import Format, format_of
from nadp.files.writing import write_embeddings
from nadp.groups import Partition, Sensitive, save_partition
from nadp.groups.sensitive import revealed_of
from nadp.mechanisms.groups import guarantee_of
from nadp.mechanisms.guarantee import Guarantee
from nadp.mechanisms.preconditions import Measure, passed
from nadp.release.ledger import Ledger
from nadp.release.partitions import use_partition
from nadp.release.places import places_of_codebook, refuse_private
from nadp.runtime.versions import versions

NOT_COVERED = """\
The group is not hidden, nor what its words have in common: topic, sentiment, a sensitive attribute. If all words of a \
group name drugs, the codebook hides which drug, but not that it is a drug.
Words in different groups are not hidden from each other.
The figures hold for independent words under the stated prior. An attacker who uses context, or knows the word \
frequencies better, recovers more.
Length and order of texts, and words that are not in the codebook, are not hidden.
A second partition of the same words reveals far more than one: keep this one for the whole series.
This is not differential privacy. It cannot be compared with an epsilon.""".splitlines()

_NO_WORD = re.compile(r"^[\d\W]*$|[\s/\\]|\.[A-Za-z]{2,5}$")  # a number, several words, a path, a file name

_OWN_TEXTS = (
    "The prior was counted in the texts to be protected: for these texts there is NO guarantee, since the groups "
    "depend on them."
)


@dataclass(frozen=True)
class CodebookLimits:
    """Limits of the gate for a codebook.

    Attributes:
        largest_share: largest share of one word in the prior of its group, which bounds an attacker's posterior.
        largest_group: largest number of words in a group; larger groups are no longer meaningful.
        one_topic: largest share of words, weighted by the prior, whose group reveals a single topic.
    """

    largest_share: float = 0.34
    largest_group: int = 1_000
    one_topic: float = 0.25


@dataclass(frozen=True)
class CodebookOrder:
    """A request for a codebook.

    Attributes:
        out: path of the table; map, partition and certificate are written to the same folder.
        embedding_is_public: whether the vectors are public; otherwise the codebook is refused.
        limits: limits of the gate.
        series: name for all texts that may be encoded with it; None for the series with nearly the same words.
        accept_another_partition: whether the user accepts a second partition of the series.
        format: format of the table; None to use the suffix of `out`.
        at: time of the request, for the ledger.
    """

    out: Path
    embedding_is_public: bool = False
    limits: CodebookLimits = field(default_factory=CodebookLimits)
    series: str | None = None
    accept_another_partition: bool = False
    format: Format | None = None
    at: str = ""


@dataclass(frozen=True)
class CodebookCertificate:
    """The certificate of a codebook.

    Attributes:
        guarantee: the guarantee of the codebook.
        partition: fingerprint, bounds and prior of the partition.
        disclosed: exact figures on what the codebook reveals about a word beyond its identity.
        series: series of the partition, with the fingerprints of other partitions that were accepted for it.
        versions: versions of the software.
        hashes: hashes of the published files and of the source.
        topic_revealed: how surely the group of each listed sensitive word reveals its topic.
    """

    guarantee: Guarantee
    partition: dict[str, Any]
    disclosed: dict[str, float | int]
    series: dict[str, Any]
    versions: dict[str, str]
    hashes: dict[str, str] = field(default_factory=dict)
    topic_revealed: dict[str, float] = field(default_factory=dict)

    @property
    def not_covered(self) -> list[str]:
        """Sentences on what the guarantee does not cover."""
        return [*([_OWN_TEXTS] if self.partition["prior_of_own_texts"] else []), *NOT_COVERED]

    def to_json(self) -> str:
        """Return the certificate as JSON."""
        record = {"statement": self.guarantee.statement, **asdict(self), "not_covered": self.not_covered}
        return json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def to_markdown(self) -> str:
        """Return the certificate as a Markdown page."""
        lists: dict[str, dict[str, Any]] = {"Partition": self.partition, "Disclosed": self.disclosed}
        lists |= {"How surely its group reveals the topic of": self.topic_revealed} if self.topic_revealed else {}
        lists |= {"Series": self.series, "Versions": self.versions, "Hashes": self.hashes}
        parts = [f"# Certificate of a codebook\n\n**{self.guarantee.statement}.**"]
        parts += [f"## {title}\n\n{_rows(values)}" for title, values in lists.items()]
        parts += ["## What is not covered\n\n" + "\n".join(f"- {limit}" for limit in self.not_covered)]
        return "\n\n".join(parts) + "\n"


def codebook_measures(partition: Partition, disclosure: Disclosure, limits: CodebookLimits) -> list[Measure]:
    """Return the measures of the gate.

    Args:
        partition: the partition of the codebook.
        disclosure: its disclosure.
        limits: limits of the gate.
    """
    share, largest = partition.largest_share, int(partition.sizes.max())
    bounds_kept = float(partition.keeps_bounds())
    smaller = "choose larger groups (a larger min_size, or a smaller max_share)"
    return [
        Measure(
            "bounds_kept", "whether every group keeps its bounds", bounds_kept, 1.0, bounds_kept == 1, "build it again"
        ),
        Measure(
            "largest_share",
            "the largest share of one word",
            share,
            limits.largest_share,
            share <= limits.largest_share,
            smaller,
        ),
        Measure(
            "largest_group",
            "the largest group",
            largest,
            limits.largest_group,
            largest <= limits.largest_group,
            "choose smaller groups (a smaller min_size, or a larger max_share)",
        ),
        Measure(
            "one_topic",
            "the share of words in a group of one topic",
            disclosure.one_topic,
            limits.one_topic,
            disclosure.one_topic <= limits.one_topic,
            "choose larger groups, or list sensitive words and bound the share of their topics",
        ),
    ]


def publish_codebook(  # noqa: PLR0913, PLR0917 - the inputs of a codebook
    embeddings: Embeddings,
    partition: Partition,
    topics: Ids,
    order: CodebookOrder,
    ledger: Ledger,
    source_sha256: str = "",
    sensitive: Sensitive | None = None,
) -> CodebookCertificate:
    """Check and publish a codebook, and return its certificate. A codebook holds no noise, so it is reproducible.

    Args:
        embeddings: n public words and their vectors.
        partition: the partition of these words.
        topics: (n,) topic of each word, see nadp.attacks.topics.
        order: the request.
        ledger: the ledger that records the partition of the series.
        source_sha256: SHA-256 of the file that the vectors come from.
        sensitive: words whose topics' exposure the certificate states; rows of the partition.

    Raises:
        RefusedError: if the gate refuses.
        OtherPartitionError: if the series uses another partition.
        InputError: if the vectors are not public, the rows are documents, or the format cannot represent a word.
    """
    refuse_private(public=order.embedding_is_public)
    _refuse_documents(embeddings.words.tolist())
    if partition.words.tolist() != embeddings.words.tolist():
        raise InputError("partition and embedding have different words: build the partition again, or add new words")
    table_format = order.format or format_of(order.out.name)
    prior = partition.prior.shares
    disclosure = disclosed_by_groups(
        partition.labels, Background(embeddings.vectors, prior, content_words(prior), topics)
    )
    passed(codebook_measures(partition, disclosure, order.limits))
    name, other_partitions = use_partition(
        ledger, partition, order.at, series=order.series, accept_another=order.accept_another_partition
    )
    certificate = CodebookCertificate(
        guarantee=guarantee_of(partition),
        partition=_partition_facts(partition),
        disclosed=asdict(disclosure),
        topic_revealed={} if sensitive is None else revealed_of(partition, sensitive),
        series={"name": name, "other_partitions": other_partitions},
        versions=versions("nadp", "numpy", "scipy", "numba", "scikit-learn"),
        hashes={"source_sha256": source_sha256} if source_sha256 else {},
    )
    return _written(partition, certificate, order.out, table_format)


def _refuse_documents(names: list[str]) -> None:
    """Refuse a table whose rows are not words: all documents of a group but one determine the last one."""
    not_words = [name for name in names if _NO_WORD.search(name)]
    if len(not_words) > len(names) / 2:
        raise InputError(
            f"most rows are not words but numbers, paths or phrases, such as {not_words[0]!r}: a codebook of documents "
            "protects nothing, since anyone who knows all but one of a group's rows can compute the last vector. "
            "Add noise instead"
        )


def _partition_facts(partition: Partition) -> dict[str, Any]:
    return {
        "fingerprint": partition.fingerprint,
        **asdict(partition.bounds),
        "prior": partition.prior.name,
        "prior_of_own_texts": partition.prior.own_texts,
        "words": len(partition.words),
        "groups": len(partition),
        "largest_group": int(partition.sizes.max()),
        "largest_share": partition.largest_share,
        "prior_of_the_largest_group": float(partition.mass.max()),
    }


def _written(
    partition: Partition, certificate: CodebookCertificate, out: Path, table_format: Format
) -> CodebookCertificate:
    """Write all files. The table comes last, so that it never lacks its certificate."""
    place_of = places_of_codebook(out)
    lines = (f"{word}\t{group}\n" for word, group in zip(partition.words.tolist(), partition.labels, strict=True))
    put(place_of["map"], "word\tgroup\n" + "".join(lines))
    save_partition(place_of["partition"], partition)
    hashes: dict[str, str] = {}

    def table(path: Path) -> None:
        write_embeddings(path, partition.table, table_format, member=out.stem)
        hashes["released_sha256"] = sha256_of(path)
        full = replace(certificate, hashes=hashes | certificate.hashes)
        put(place_of["certificate"], full.to_json())
        put(place_of["page"], full.to_markdown())

    put(out, table)
    return replace(certificate, hashes=hashes | certificate.hashes)


def _rows(values: dict[str, Any]) -> str:
    return "\n".join(f"- {name.replace('_', ' ')}: {value}" for name, value in values.items())
