"""The release of an embedding, as one task: never cached, never retried, published at most once."""

from prefect import task
from prefect.artifacts import create_markdown_artifact

from nadp.cli.files import ledger_file
from nadp.files.arrays import load_embeddings
from nadp.release import Ledger
from nadp.release.basis import Sizing
from nadp.release.publishing import Order, publish
from nadp.report.certificate import certificate_page
from tasks.embedding import EmbeddingFile
from tasks.space import Space, space_of
from tasks.store.private import Reference, loaded


@task(name="publish", retries=0, persist_result=False)
def publish_release(
    original: Reference | Space,
    public: Space | None,
    sizing: Sizing,
    source: EmbeddingFile,
    order: Order,
    ledger: str | None,
) -> None:
    """Draw, check and publish a release.

    Raises:
        RefusedError: if the gate refuses.
        BudgetError: if the ledger refuses.
    """
    opened_ledger = Ledger(ledger_file(ledger))
    original_embedding = space_of(original) if isinstance(original, Space) else loaded(original, load_embeddings)
    basis = sizing.basis(original_embedding, space_of(public) if public else None)
    certificate = publish(basis, order, opened_ledger, source.file.sha256, certificate_page)
    if certificate is not None:
        create_markdown_artifact(key="certificate", markdown=certificate.to_markdown(), description=str(order.out))
