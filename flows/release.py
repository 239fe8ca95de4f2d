"""The release: private vectors with a certificate, or a refusal. Run it with `python -m flows.release`."""

if __name__ == "__main__":  # before the slow imports: help and refusals do not need them
    from flows.command_line import main

    main("release")

from prefect import flow
from prefect.client.schemas.objects import State
from prefect.runtime import deployment, flow_run
from prefect.states import Completed
from threadpoolctl import threadpool_limits

from flows.bars import bars
from flows.groups import grouped
from flows.heartbeats import heartbeats
from flows.parameters.release import Release
from nadp.cli.declared import takes
from nadp.errors import InputError
from nadp.files.model_places import WRITTEN
from tasks.embedding import download_glove
from tasks.groups import publish_codebook
from tasks.release import publish_release
from tasks.space import GraphTerms, Space, whole, whole_space
from tasks.store.private import Reference


@flow(name="release", flow_run_name="release {embedding}, {mechanism}", persist_result=False)
@takes(Release)
@heartbeats
def release(given: Release) -> State[str]:
    """Publish a private copy of an embedding, and report its path."""
    if given.series is None and deployment.id is not None:
        raise InputError("name the series whose budget a deployment spends (series): its vectors change with each run")
    how = GraphTerms(given.search, given.recall, given.n_neighbours, given.adjacency)
    with threadpool_limits(limits=1), bars():
        source = download_glove(
            given.embedding, given.member, given.sha256, private=not given.public, strict=given.strict, stored=True
        )
        if given.mechanism == "groups":
            kept = whole(source, given.words)
            partition, lists = grouped(given, kept.embeddings, how)
            words = publish_codebook(kept.embeddings, partition, lists, given.codebook_order(), source, given.ledger)
            return Completed(message=given.codebook_said(words, kept.words), data=str(given.where))
        original: Reference | Space
        public_space = None
        if given.neighbourhoods_from is not None or given.sizing.by_a_constant:
            kept = whole(source, given.words)
            original = kept.embeddings
        else:
            kept, original = whole_space(source, given.words, given.tau, given.isolated, how)
        if given.neighbourhoods_from is not None:
            public = download_glove(given.neighbourhoods_from, strict=given.strict)
            _, public_space = whole_space(public, given.words, given.tau, given.isolated, how)
        order = given.order(str(flow_run.id), source.file.local())
        publish_release(original, public_space, given.sizing, source, order, given.ledger)
    said = f"released to {given.where} as {WRITTEN}, certificate beside it; {kept.words:,} words were read"
    said += f"; left out of the embedding: {kept.counts.left_out}" if kept.counts.left_out else ""
    return Completed(message=said, data=str(given.where))
