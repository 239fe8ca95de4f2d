"""Is a table the codebook of a partition? Every check reads the table, and none is statistical."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from nadp.audit.verdicts import Verdict
from nadp.embeddings import Embeddings, Words
from nadp.errors import FormatError, InputError
from nadp.files.records import read_json
from nadp.groups import Partition, load_partition
from nadp.groups.making import centroids_of

_ROUNDING = 1e-4  # error of a centroid relative to the largest number: sums in another order, text with few digits


def codebook_verdicts(
    partition: Partition,
    released: Embeddings,
    original: Embeddings | None = None,
    certified: dict[str, Any] | None = None,
) -> list[Verdict]:
    """Return whether a released table fits its partition, and whether the partition satisfies its bounds.

    Args:
        partition: n words in groups.
        released: the table.
        original: the public vectors that it was made from; adds a check of the centroids.
        certified: the partition's entry in the certificate; adds a check that it is this partition.
    """
    verdicts = [_words(partition, released)]
    if verdicts[0].passed:
        table = released.vectors[released.rows(partition.words.tolist())]
        verdicts += [_one_row_for_each_group(partition, table), _rows_are_centroids(partition, table)]
    verdicts.append(_bounds_kept(partition))
    if original is not None:
        verdicts.append(_centroids_of_the_original(partition, original))
    if certified is not None:
        matches = certified.get("fingerprint") == partition.fingerprint
        message = f"partition {partition.fingerprint[:12]}, certified {str(certified.get('fingerprint'))[:12]}"
        verdicts.append(Verdict("the partition is the certified one", matches, float(matches), 1.0, message))
    return verdicts


def _words(partition: Partition, released: Embeddings) -> Verdict:
    partition_words, table_words = set(partition.words.tolist()), set(released.words.tolist())
    unshared = sorted(partition_words ^ table_words)
    message = f"{len(unshared):,} words are in only one of table and partition" + (
        f", such as {unshared[0]!r}" if unshared else ""
    )
    return Verdict("table and partition hold the same words", not unshared, float(len(unshared)), 0.0, message)


def _one_row_for_each_group(partition: Partition, table: npt.NDArray[np.float32]) -> Verdict:
    """Check for equal bits: words of a group can be distinguished even if they differ in a single bit."""
    first = np.full(len(partition), len(table))
    np.minimum.at(first, partition.labels, np.arange(len(table)))
    differs = (table != table[first[partition.labels]]).any(axis=1)
    message = f"{differs.sum():,} words have a vector that differs from their group's" + _such_as(
        partition.words, differs
    )
    return Verdict(
        "words of a group are released alike", not differs.any(), float(differs.mean()), 0.0, message, "safety"
    )


def _rows_are_centroids(partition: Partition, table: npt.NDArray[np.float32]) -> Verdict:
    deviation = np.abs(table - partition.centroids[partition.labels]).max(axis=1)
    misplaced = deviation > _ROUNDING * np.abs(partition.centroids).max()
    message = f"{misplaced.sum():,} words are not at their group's centroid" + _such_as(partition.words, misplaced)
    return Verdict("rows are the partition's centroids", not misplaced.any(), float(misplaced.mean()), 0.0, message)


def _bounds_kept(partition: Partition) -> Verdict:
    within_bounds, bounds = partition.keeps_bounds(), partition.bounds
    message = (
        f"smallest group: {partition.sizes.min():,} words (at least {bounds.min_size:,}), largest share: "
        f"{partition.largest_share:.4f} (at most {bounds.max_share:g})"
    )
    return Verdict(
        "every group keeps its bounds", within_bounds, partition.largest_share, bounds.max_share, message, "safety"
    )


def _centroids_of_the_original(partition: Partition, original: Embeddings) -> Verdict:
    """Check the centroids against the words they were computed from. Words that joined later did not change them."""
    founding_words = slice(partition.made_of)
    rows = original.rows(partition.words[founding_words].tolist())
    weights = (
        partition.prior.weights[founding_words] if partition.bounds.centroid == "prior" else np.ones(partition.made_of)
    )
    all_known = bool((rows >= 0).all())
    deviation = np.inf
    if all_known:
        expected = centroids_of(original.vectors[rows], partition.labels[founding_words], weights)
        deviation = float(np.abs(expected - partition.centroids).max() / np.abs(expected).max())
    message = (
        f"centroids are off by {deviation:.2g} of the largest number"
        if all_known
        else "the original lacks some of the words"
    )
    return Verdict("centroids are those of the original", deviation <= _ROUNDING, deviation, _ROUNDING, message)


def _such_as(words: Words, marked: npt.NDArray[np.bool_]) -> str:
    return f", such as {str(words[int(marked.argmax())])!r}" if marked.any() else ""


@dataclass(frozen=True)
class CertifiedCodebook:
    """The content of a codebook's certificate, and the file of its partition.

    Attributes:
        partition: fingerprint, bounds and prior, as certified.
        sha256: SHA-256 of the table; None if not stated.
        file: file of the partition, next to the table.
    """

    partition: dict[str, Any]
    sha256: str | None
    file: Path


def read_codebook_certificate(path: str | Path) -> CertifiedCodebook | None:
    """Return the content of a codebook's certificate; None for a certificate of noise, or if it is no certificate.

    Raises:
        InputError: if the partition is not next to it.
    """
    file = Path(path).expanduser()
    try:
        content = read_json(file) if file.is_file() else {}
    except (ValueError, FormatError):
        return None
    description = content.get("partition") if isinstance(content, dict) else None
    if not isinstance(description, dict) or "fingerprint" not in description:
        return None
    partition = file.with_name(file.name.removesuffix(".certificate.json") + ".partition.npz")
    if not partition.is_file():
        raise InputError(f"no partition {str(partition)!r}: it must lie next to the certificate of its codebook")
    hashes = content.get("hashes") or {}
    return CertifiedCodebook(description, hashes.get("released_sha256"), partition)


def audit_codebook(
    certified: CertifiedCodebook, released: Embeddings, original: Embeddings, sha256: str
) -> list[Verdict]:
    """Return all checks of a codebook: the file, then the table against its partition and the original.

    Args:
        certified: the content of its certificate.
        released: the table.
        original: the public vectors that it was made from.
        sha256: SHA-256 of the released file.
    """
    matches = certified.sha256 in {None, sha256}
    message = (
        "SHA-256 as certified" if matches else f"SHA-256 {sha256}, but the certificate describes {certified.sha256}"
    )
    file_verdict = Verdict("the file matches its certificate", matches, float(matches), 1.0, message)
    checks = codebook_verdicts(load_partition(certified.file), released, original, certified.partition)
    return [*([] if certified.sha256 is None else [file_verdict]), *checks]
