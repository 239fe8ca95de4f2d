"""The audit of a release, as a task."""

from dataclasses import dataclass
from pathlib import Path

from prefect import task
from prefect.artifacts import create_markdown_artifact
from prefect.cache_policies import NO_CACHE

from nadp.audit.auditing import Options
from nadp.audit.certified import Certified
from nadp.audit.codebook import CertifiedCodebook
from nadp.embeddings import Embeddings
from nadp.files.arrays import load_embeddings
from nadp.mechanisms import Guarantee
from nadp.report.auditing import AuditedFile, audit_codebook_files, audit_files
from nadp.space import EmbeddingSpace
from tasks.embedding import EmbeddingFile
from tasks.space import Space, space_of
from tasks.store.private import Reference, loaded


@dataclass(frozen=True)
class Audited:
    """The result of an audit: the folder of its report, the number of checks, and the failed checks."""

    folder: str
    checks: int
    failed: list[str]


@dataclass(frozen=True)
class Sizes:
    """What determined the noise scales of a release, besides what its certificate says.

    Attributes:
        public: the public embedding whose graph determined them, if any; a Space unless `graph` is given.
        graph: the file of the graph, if it was kept.
    """

    public: Space | Reference | None = None
    graph: Path | None = None


@task(name="audit", cache_policy=NO_CACHE, persist_result=False)
def audit(
    words: Space | Reference,
    sizes: Sizes,
    original: EmbeddingFile,
    released: EmbeddingFile,
    another: EmbeddingFile | None,
    claimed: Guarantee | Certified | None,
    options: Options,
    seed: int,
    out: str,
) -> Audited:
    """Audit a release and write its report. The draws are fresh, so the result is not cached."""
    second_release = None if another is None else _table(another)
    result = audit_files(
        _read(words),
        _table(original),
        _table(released),
        another=second_release,
        claim=claimed,
        public=None if sizes.public is None else _read(sizes.public),
        graph=sizes.graph,
        options=options,
        seed=seed,
    )
    folder = result.save(out)
    create_markdown_artifact(key="audit", markdown=result.report.markdown, description=f"Audit in {folder}")
    return Audited(str(folder), result.checks, result.failed)


@task(name="audit-codebook", cache_policy=NO_CACHE, persist_result=False)
def audit_codebook(certified: CertifiedCodebook, original: EmbeddingFile, released: EmbeddingFile, out: str) -> Audited:
    """Compare a codebook with its partition and the original, and write the report."""
    result = audit_codebook_files(certified, _table(original), _table(released))
    folder = result.save(out)
    create_markdown_artifact(key="audit", markdown=result.report.markdown, description=f"Audit in {folder}")
    return Audited(str(folder), result.checks, result.failed)


def _read(words: Space | Reference) -> EmbeddingSpace | Embeddings:
    if isinstance(words, Space):
        return space_of(words)
    embeddings: Embeddings = loaded(words, load_embeddings)
    return embeddings


def _table(file: EmbeddingFile) -> AuditedFile:
    return AuditedFile(file.name, Path(file.file.local()), file.member)
