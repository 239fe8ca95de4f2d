"""The audit of files: read, audited, and written as a report."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from nadp.audit.auditing import Options, audit_release
from nadp.audit.certified import Certified, file_is_the_certified_one
from nadp.audit.codebook import CertifiedCodebook, audit_codebook
from nadp.audit.exact import ExactFiles
from nadp.audit.verdicts import Verdict
from nadp.embeddings import Embeddings
from nadp.experiment.facts import graph_facts, space_facts
from nadp.files import read_embeddings
from nadp.files.durable import sha256_of
from nadp.files.paths import absolute
from nadp.files.reading import read_exact
from nadp.mechanisms import Guarantee
from nadp.noise import research_rng
from nadp.release.audited import audited_pair
from nadp.report.audit import audit_report
from nadp.report.codebook import codebook_report
from nadp.report.files import Report
from nadp.runtime.versions import versions
from nadp.space import EmbeddingSpace


@dataclass(frozen=True)
class AuditedFile:
    """An embedding file that takes part in an audit.

    Attributes:
        name: its name in the report.
        path: path of the file.
        member: the file to read, if it is an archive.
    """

    name: str
    path: Path
    member: str | None = None

    @cached_property
    def sha256(self) -> str:
        """The hash of the file."""
        return sha256_of(self.path)

    def exact(self, words: list[str]) -> Mapping[str, npt.NDArray[np.float64]]:
        """Return the vectors of some words with all digits of the file; see nadp.files.reading.read_exact."""
        return read_exact(self.path, words, member=self.member)


@dataclass(frozen=True, eq=False)
class AuditOfFiles:
    """An audit with its report.

    Attributes:
        verdicts: verdicts of its checks.
        report: report of the audit.
        inputs: files that the report must not replace.
    """

    verdicts: list[Verdict]
    report: Report
    inputs: tuple[Path, ...]

    @property
    def checks(self) -> int:
        """Number of checks."""
        return len(self.verdicts)

    @property
    def failed(self) -> list[str]:
        """The names of the failed checks."""
        return [verdict.name for verdict in self.verdicts if not verdict.passed]

    def save(self, out: str | Path) -> Path:
        """Write the report; return its folder.

        Raises:
            InputError: if it would replace one of the audited files.
        """
        folder = absolute(out)
        self.report.save(folder, *self.inputs)
        return folder


def audit_files(  # noqa: PLR0913 - what an audit needs
    words: Embeddings | EmbeddingSpace,
    original: AuditedFile,
    released: AuditedFile,
    *,
    another: AuditedFile | None = None,
    claim: Guarantee | Certified | None = None,
    public: Embeddings | EmbeddingSpace | None = None,
    graph: Path | None = None,
    options: Options | None = None,
    seed: int = 0,
) -> AuditOfFiles:
    """Audit a released file against the original, and check that it is the file that its certificate describes.

    Tables are read as float32. If the released file holds more than float32, the check of low-order bits also reads its
    sample with all digits, and the same words of the original.

    Args:
        words: the words of the original; with their graph, unless it is in a file or did not set the noise scales.
        original: the file from which they were read.
        released: the file to audit.
        another: another release of the same words, whose noise must be independent.
        claim: the claimed guarantee, or a certificate.
        public: the public embedding whose graph set the noise scales, if any; see nadp.release.audited.
        graph: the file of the graph that set the noise scales, if it was kept.
        options: number of draws and error rate.
        seed: seed of samples and fresh draws.

    Raises:
        FormatError: if a file cannot be read.
        InputError: if the files have no word in common or different dimensions, or an argument that the claim needs is
            missing.
    """
    guarantee = claim.guarantee if isinstance(claim, Certified) else claim
    noisy = read_embeddings(released.path, member=released.member, stored=True)
    pair = audited_pair(words, noisy, claim, public=public, graph=graph)
    pair = replace(pair, files=ExactFiles(original.exact, released.exact))
    audit = audit_release(
        pair,
        research_rng(seed, "audit", 0),
        another=None if another is None else read_embeddings(another.path, member=another.member, stored=True),
        prior=1 / np.arange(1, len(pair.space) + 1.0),  # Zipf's law, by the order of the original
        options=options,
    )
    file_verdict = file_is_the_certified_one(claim, released.sha256) if isinstance(claim, Certified) else None
    if file_verdict is not None:
        audit.verdicts.insert(0, file_verdict)
    report = audit_report(audit, guarantee, _facts(pair.space, original, released))
    return AuditOfFiles(audit.verdicts, report, (original.path, released.path))


def audit_codebook_files(certified: CertifiedCodebook, original: AuditedFile, released: AuditedFile) -> AuditOfFiles:
    """Compare a codebook with its partition and the public original.

    Args:
        certified: the content of its certificate.
        original: the file of the public vectors.
        released: the file of the codebook.

    Raises:
        FormatError: if a file cannot be read.
    """
    table, public = (read_embeddings(file.path, member=file.member) for file in (released, original))
    verdicts = audit_codebook(certified, table, public, released.sha256)
    inputs = {name: {"name": file.name, "sha256": file.sha256} for name, file in _named_files(original, released)}
    report = codebook_report(verdicts, certified.partition, {"inputs": inputs, "versions": versions()})
    return AuditOfFiles(verdicts, report, (original.path, released.path, certified.file))


def _named_files(original: AuditedFile, released: AuditedFile) -> list[tuple[str, AuditedFile]]:
    return [("original", original), ("released", released)]


def _facts(space: EmbeddingSpace, original: AuditedFile, released: AuditedFile) -> Mapping[str, Any]:
    return {
        **{name: {"name": file.name, "sha256": file.sha256} for name, file in _named_files(original, released)},
        "space": asdict(space_facts(space)),
        "graph": asdict(graph_facts(space)),
        "versions": versions(),
    }
