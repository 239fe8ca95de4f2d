"""The audit of a release, as tasks."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from prefect import task
from prefect.artifacts import create_markdown_artifact

from nadp.audit.auditing import Options, audit_release
from nadp.audit.pair import paired
from nadp.errors import FormatError, InputError
from nadp.experiment.facts import graph_facts, space_facts
from nadp.files import read_embeddings
from nadp.mechanisms import Guarantee, claimed
from nadp.noise import research_rng
from nadp.report.audit import audit_report
from nadp.runtime.versions import versions
from tasks.embedding import EmbeddingFile
from tasks.space import Space, space_of


@dataclass(frozen=True)
class Audited:
    """How an audit ended: the folder of its report, how many checks there were, and those that failed."""

    folder: str
    checks: int
    failed: list[str]


def certified(path: str) -> tuple[Guarantee, dict[str, Any]]:
    """Return what a certificate claims, and the parameters of the graph as far as it names them.

    Raises:
        InputError: if there is no such file.
        FormatError: if it is no certificate.
    """
    file = Path(path)
    if not file.is_file():
        raise InputError(f"no certificate {path!r}")
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        made = claimed(str(found["mechanism"]), float(found["epsilon"]), float(found["delta"]))
        return made, dict(found.get("neighbouring", {}))
    except (ValueError, KeyError, TypeError) as error:
        raise FormatError(f"{path} is no certificate with mechanism, epsilon and delta: {error}") from error


@task(name="audit")
def audit(
    space: Space,
    original: EmbeddingFile,
    released: EmbeddingFile,
    another: EmbeddingFile | None,
    claimed: Guarantee | None,
    options: Options,
    seed: int,
    out: str,
) -> Audited:
    """Audit a release and write its report: the noise of the attacks is fresh, so the result is not cached."""
    pair = paired(space_of(space), read_embeddings(released.file.local(), member=released.member), claimed)
    second = None if another is None else read_embeddings(another.file.local(), member=another.member)
    found = audit_release(
        pair,
        research_rng(seed, "audit", 0),
        another=second,
        prior=1 / np.arange(1, len(pair.space) + 1.0),  # Zipf's law, by the order of the original
        options=options,
    )
    made = audit_report(found, claimed, _facts(space, original, released))
    folder = Path(out).expanduser().absolute()
    made.save(folder)
    create_markdown_artifact(key="audit", markdown=made.markdown, description=f"Audit in {folder}")
    failed = [verdict.name for verdict in found.verdicts if not verdict.passed]
    return Audited(str(folder), len(found.verdicts), failed)


def _facts(space: Space, original: EmbeddingFile, released: EmbeddingFile) -> dict[str, Any]:
    found = space_of(space)
    return {
        "original": {"name": original.name, "sha256": original.file.sha256},
        "released": {"name": released.name, "sha256": released.file.sha256},
        "space": asdict(space_facts(found)),
        "graph": asdict(graph_facts(found)),
        "versions": versions(),
    }
