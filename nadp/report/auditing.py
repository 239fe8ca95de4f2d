"""The audit of files: read, audited, and written as a report."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from nadp.audit.auditing import Options, ReleaseAudit, audit_release
from nadp.audit.certified import Certified, file_is_the_certified_one
from nadp.audit.pair import paired
from nadp.experiment.facts import graph_facts, space_facts
from nadp.files import read_embeddings
from nadp.files.durable import sha256_of
from nadp.mechanisms import Guarantee
from nadp.noise import research_rng
from nadp.report.audit import audit_report
from nadp.report.files import Report
from nadp.runtime.versions import versions
from nadp.space import EmbeddingSpace


@dataclass(frozen=True)
class Table:
    """An embedding file that takes part in an audit.

    Attributes:
        name: what the report calls it.
        path: where it is.
        member: which file of an archive.
    """

    name: str
    path: Path
    member: str | None = None

    @cached_property
    def sha256(self) -> str:
        """Of the file."""
        return sha256_of(self.path)


@dataclass(frozen=True, eq=False)
class AuditOfFiles:
    """An audit with its report.

    Attributes:
        found: the audit.
        report: what is written of it.
        inputs: the files that must not be replaced by it.
    """

    found: ReleaseAudit
    report: Report
    inputs: tuple[Path, ...]

    @property
    def checks(self) -> int:
        """How many checks there were."""
        return len(self.found.verdicts)

    @property
    def failed(self) -> list[str]:
        """The names of those that failed."""
        return [verdict.name for verdict in self.found.verdicts if not verdict.passed]

    def save(self, out: str | Path) -> Path:
        """Write the report; return its folder.

        Raises:
            InputError: if that would replace one of the audited files.
        """
        folder = Path(out).expanduser().absolute()
        self.report.save(folder, *self.inputs)
        return folder


def audit_files(  # noqa: PLR0913 - what an audit needs
    space: EmbeddingSpace,
    original: Table,
    released: Table,
    *,
    another: Table | None = None,
    claim: Guarantee | Certified | None = None,
    options: Options | None = None,
    seed: int = 0,
) -> AuditOfFiles:
    """Audit a released file against the original, and whether it is the one that its certificate describes.

    Args:
        space: of the original.
        original: the file that it was read from.
        released: the file that is audited.
        another: another release of the same words, whose noise must be independent.
        claim: what is said of the release.
        options: how much is done.
        seed: of samples and fresh draws.

    Raises:
        FormatError: if a file cannot be read.
        InputError: if the two have no word in common, or other dimensions.
    """
    guarantee = claim.guarantee if isinstance(claim, Certified) else claim
    pair = paired(space, read_embeddings(released.path, member=released.member), guarantee)
    found = audit_release(
        pair,
        research_rng(seed, "audit", 0),
        another=None if another is None else read_embeddings(another.path, member=another.member),
        prior=1 / np.arange(1, len(space) + 1.0),  # Zipf's law, by the order of the original
        options=options,
    )
    same = file_is_the_certified_one(claim, released.sha256) if isinstance(claim, Certified) else None
    if same is not None:
        found.verdicts.insert(0, same)
    report = audit_report(found, guarantee, _facts(space, original, released))
    return AuditOfFiles(found, report, (original.path, released.path))


def _facts(space: EmbeddingSpace, original: Table, released: Table) -> Mapping[str, Any]:
    return {
        "original": {"name": original.name, "sha256": original.sha256},
        "released": {"name": released.name, "sha256": released.sha256},
        "space": asdict(space_facts(space)),
        "graph": asdict(graph_facts(space)),
        "versions": versions(),
    }
