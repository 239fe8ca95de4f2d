"""The audit of a release, as tasks."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from prefect import task
from prefect.artifacts import create_markdown_artifact
from prefect.cache_policies import NO_CACHE

from nadp.audit.auditing import Options, audit_release
from nadp.audit.certified import Certified, file_is_the_certified_one
from nadp.audit.pair import paired
from nadp.experiment.facts import graph_facts, space_facts
from nadp.files import read_embeddings
from nadp.mechanisms import Guarantee
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


@task(name="audit", cache_policy=NO_CACHE, persist_result=False)
def audit(
    space: Space,
    original: EmbeddingFile,
    released: EmbeddingFile,
    another: EmbeddingFile | None,
    claimed: Guarantee | Certified | None,
    options: Options,
    seed: int,
    out: str,
) -> Audited:
    """Audit a release and write its report: the noise of the attacks is fresh, so the result is not cached."""
    claim = claimed.guarantee if isinstance(claimed, Certified) else claimed
    pair = paired(space_of(space), read_embeddings(released.file.local(), member=released.member), claim)
    second = None if another is None else read_embeddings(another.file.local(), member=another.member)
    found = audit_release(
        pair,
        research_rng(seed, "audit", 0),
        another=second,
        prior=1 / np.arange(1, len(pair.space) + 1.0),  # Zipf's law, by the order of the original
        options=options,
    )
    same = file_is_the_certified_one(claimed, released.file.sha256) if isinstance(claimed, Certified) else None
    if same is not None:
        found.verdicts.insert(0, same)
    made = audit_report(found, claim, _facts(space, original, released))
    folder = Path(out).expanduser().absolute()
    made.save(folder, original.file.local(), released.file.local())
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
