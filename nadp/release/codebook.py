"""A codebook: a public table of groups, each word with its group's centroid, with a map and a certificate.

It is made of public vectors only. Who knows all members of a group but one computes the last one's vector from the
centroid, so a codebook of private vectors, or of vectors of documents, would protect nothing.
"""

import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from nadp.attacks.disclosure import Background, Disclosure, content_words, disclosed_by_groups
from nadp.embeddings import Embeddings, Ids
from nadp.errors import InputError
from nadp.files.durable import put, sha256_of
from nadp.files.writing import Format, format_of, write_embeddings
from nadp.groups import Partition, save_partition
from nadp.mechanisms.groups import guarantee_of
from nadp.mechanisms.guarantee import Guarantee
from nadp.mechanisms.preconditions import Measure, passed
from nadp.release.ledger import Ledger
from nadp.release.partitions import use_partition
from nadp.runtime.versions import versions

_NOT_COVERED = """\
The group is not hidden, nor what its words have in common: topic, sentiment, a sensitive attribute. Where all words \
of a group name drugs, the drug is hidden and that it is one is not.
Nothing is hidden across groups.
The figures hold for independent words under the stated prior. Whoever uses the words around a token finds more, and \
so does whoever knows better how frequent words are.
Length and order of texts, and words that the codebook does not hold, are not hidden.
A second partition of the same words gives away far more than one: keep this one for the whole series.
This is not differential privacy, and not comparable with an epsilon.""".splitlines()

_OWN_TEXTS = (
    "The prior was counted in texts of one's own: for these very texts there is NO guarantee, since their groups were "
    "made with them."
)


@dataclass(frozen=True)
class CodebookLimits:
    """What a codebook may give away.

    Attributes:
        largest_share: of one word in the prior of its group: how sure an attacker may be of a word.
        largest_group: number of words; larger groups have lost their meaning.
        one_topic: share of the words, by prior, whose group has one topic that an attacker is sure of.
    """

    largest_share: float = 0.34
    largest_group: int = 1_000
    one_topic: float = 0.25


@dataclass(frozen=True)
class CodebookOrder:
    """What is asked of a codebook.

    Attributes:
        out: where the table goes; map, partition and certificate go beside it.
        embedding_is_public: whether the vectors are public; a codebook of others is refused.
        limits: of the gate.
        series: a name for all texts that may be encoded with it; None for that of nearly the same words.
        accept_another_partition: whether a second partition of the series is meant.
        format: of the table; None by the suffix of `out`.
        at: when it was ordered, for the ledger.
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
    """What is said of a codebook.

    Attributes:
        guarantee: what holds.
        partition: fingerprint, bounds and prior.
        disclosed: what an attacker learns of a word beyond which one it is, exactly.
        series: that the partition is for, and the fingerprints of others that were accepted for it.
        versions: of the software.
        hashes: of what was published, and of the source.
    """

    guarantee: Guarantee
    partition: dict[str, Any]
    disclosed: dict[str, float | int]
    series: dict[str, Any]
    versions: dict[str, str]
    hashes: dict[str, str] = field(default_factory=dict)

    @property
    def not_covered(self) -> list[str]:
        """What the guarantee leaves open, in sentences."""
        return [*([_OWN_TEXTS] if self.partition["prior_of_own_texts"] else []), *_NOT_COVERED]

    def to_json(self) -> str:
        """Return the certificate as JSON."""
        record = {"statement": self.guarantee.statement, **asdict(self), "not_covered": self.not_covered}
        return json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def to_markdown(self) -> str:
        """Return the certificate as a page to read."""
        lists: dict[str, dict[str, Any]] = {"Partition": self.partition, "Disclosed": self.disclosed}
        lists |= {"Series": self.series, "Versions": self.versions, "Hashes": self.hashes}
        parts = [f"# Certificate of a codebook\n\n**{self.guarantee.statement}.**"]
        parts += [f"## {title}\n\n{_rows(values)}" for title, values in lists.items()]
        parts += ["## What is not covered\n\n" + "\n".join(f"- {limit}" for limit in self.not_covered)]
        return "\n\n".join(parts) + "\n"


def codebook_measures(partition: Partition, told: Disclosure, limits: CodebookLimits) -> list[Measure]:
    """Return what the gate holds against its limits.

    Args:
        partition: of the codebook.
        told: what it discloses.
        limits: of the gate.
    """
    share, largest = partition.largest_share, int(partition.sizes.max())
    kept = float(partition.keeps_bounds())
    smaller = "choose larger groups (a larger min_size, or a smaller max_share)"
    return [
        Measure("bounds_kept", "whether every group keeps its bounds", kept, 1.0, kept == 1, "make the partition anew"),
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
            told.one_topic,
            limits.one_topic,
            told.one_topic <= limits.one_topic,
            "choose larger groups, or list sensitive words and bound the share of their topics",
        ),
    ]


def places(out: Path) -> dict[str, Path]:
    """Return where the files of a codebook go."""
    names = {"map": ".groups.tsv", "partition": ".partition.npz", "certificate": ".certificate.json"}
    return {name: out.with_name(out.name + end) for name, end in (names | {"page": ".certificate.md"}).items()}


def publish_codebook(  # noqa: PLR0913, PLR0917 - what a codebook is made of
    embeddings: Embeddings,
    partition: Partition,
    topics: Ids,
    order: CodebookOrder,
    ledger: Ledger,
    source_sha256: str = "",
) -> CodebookCertificate:
    """Check and publish a codebook, and return its certificate. It holds no noise: made again, it is the same.

    Args:
        embeddings: n public words.
        partition: of these words.
        topics: (n,) what each word is about, see nadp.attacks.topics.
        order: what is asked.
        ledger: where the partition of the series is entered.
        source_sha256: of the file that the vectors come from.

    Raises:
        RefusedError: if the gate refuses.
        OtherPartitionError: if the series uses another partition.
        InputError: if the vectors are not public, or the format cannot hold a word.
    """
    if not order.embedding_is_public:
        raise InputError(
            "a codebook is made of public vectors only: who knows all words of a group but one computes the last one's "
            "vector from the centroid. Say that the embedding is public, or add noise instead (mechanism nadp)"
        )
    if partition.words.tolist() != embeddings.words.tolist():
        raise InputError("the partition is of other words than the embedding: make it anew, or let new words join it")
    chosen = order.format or format_of(order.out.name)
    prior = partition.prior.shares
    told = disclosed_by_groups(partition.labels, Background(embeddings.vectors, prior, content_words(prior), topics))
    passed(codebook_measures(partition, told, order.limits))
    name, others = use_partition(
        ledger, partition, order.at, series=order.series, accept_another=order.accept_another_partition
    )
    certificate = CodebookCertificate(
        guarantee=guarantee_of(partition),
        partition=_about(partition),
        disclosed=asdict(told),
        series={"name": name, "other_partitions": others},
        versions=versions("nadp", "numpy", "scipy", "numba", "scikit-learn"),
        hashes={"source_sha256": source_sha256} if source_sha256 else {},
    )
    return _written(partition, certificate, order.out, chosen)


def _about(partition: Partition) -> dict[str, Any]:
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


def _written(partition: Partition, certificate: CodebookCertificate, out: Path, chosen: Format) -> CodebookCertificate:
    """Write all files, the table last: where it is, its certificate is."""
    at = places(out)
    lines = (f"{word}\t{group}\n" for word, group in zip(partition.words.tolist(), partition.labels, strict=True))
    put(at["map"], "word\tgroup\n" + "".join(lines))
    save_partition(at["partition"], partition)
    hashes: dict[str, str] = {}

    def table(path: Path) -> None:
        write_embeddings(path, partition.table, chosen, member=out.stem)
        hashes["released_sha256"] = sha256_of(path)
        full = replace(certificate, hashes=hashes | certificate.hashes)
        put(at["certificate"], full.to_json())
        put(at["page"], full.to_markdown())

    put(out, table)
    return replace(certificate, hashes=hashes | certificate.hashes)


def _rows(values: dict[str, Any]) -> str:
    return "\n".join(f"- {name.replace('_', ' ')}: {value}" for name, value in values.items())
