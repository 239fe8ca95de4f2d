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
def release(parameters: Release) -> State[str]:
    """Publish a private copy of an embedding, and report its path."""
    if parameters.series is None and deployment.id is not None:
        raise InputError("name the series whose budget a deployment spends (series): its vectors change with each run")
    graph_terms = GraphTerms(parameters.search, parameters.recall, parameters.n_neighbours, parameters.adjacency)
    with threadpool_limits(limits=1), bars():
        source = download_glove(
            parameters.embedding,
            parameters.member,
            parameters.sha256,
            private=not parameters.public,
            strict=parameters.strict,
            stored=True,
        )
        if parameters.mechanism == "groups":
            kept_words = whole(source, parameters.words)
            partition, lists = grouped(parameters, kept_words.embeddings, graph_terms)
            codebook_words = publish_codebook(
                kept_words.embeddings, partition, lists, parameters.codebook_order(), source, parameters.ledger
            )
            return Completed(
                message=parameters.codebook_said(codebook_words, kept_words.words), data=str(parameters.where)
            )
        original: Reference | Space
        public_space = None
        if parameters.neighbourhoods_from is not None or parameters.sizing.by_a_constant:
            kept_words = whole(source, parameters.words)
            original = kept_words.embeddings
        else:
            kept_words, original = whole_space(
                source, parameters.words, parameters.tau, parameters.isolated, graph_terms
            )
        if parameters.neighbourhoods_from is not None:
            public = download_glove(parameters.neighbourhoods_from, strict=parameters.strict)
            _, public_space = whole_space(public, parameters.words, parameters.tau, parameters.isolated, graph_terms)
        order = parameters.order(str(flow_run.id), source.file.local())
        publish_release(original, public_space, parameters.sizing, source, order, parameters.ledger)
    message = (
        f"released to {parameters.where} as {WRITTEN}, certificate beside it; {kept_words.words:,} words were read"
    )
    message += f"; left out of the embedding: {kept_words.counts.left_out}" if kept_words.counts.left_out else ""
    return Completed(message=message, data=str(parameters.where))
