"""The audit: how private is a released embedding? Run it with `python -m flows.audit`."""

if __name__ == "__main__":  # before the slow imports: help and refusals do not need them
    from flows.command_line import main

    main("audit")

from prefect import flow
from prefect.client.schemas.objects import State
from prefect.states import Completed, Failed
from threadpoolctl import threadpool_limits

from flows.bars import bars
from flows.heartbeats import heartbeats
from flows.parameters.audit import Audit
from nadp.audit.auditing import Options
from nadp.audit.codebook import CertifiedCodebook
from nadp.cli.audit import said_of
from nadp.cli.declared import takes
from tasks.audit import Audited, Sizes, audit_codebook
from tasks.audit import audit as audit_task
from tasks.embedding import download_glove
from tasks.space import GraphTerms, words_or_space


@flow(name="audit", flow_run_name="audit {released}", persist_result=False)
@takes(Audit)
@heartbeats
def audit(parameters: Audit) -> State[str]:
    """Audit a release or a codebook, and report how many checks passed."""
    codebook = parameters.codebook()
    audited = _audited(parameters) if codebook is None else _codebook(parameters, codebook)
    kind = Failed if parameters.strict and audited.failed else Completed
    return kind(message=said_of(audited.folder, audited.checks, audited.failed), data=audited.folder)


def _codebook(parameters: Audit, certified: CertifiedCodebook) -> Audited:
    original = download_glove(parameters.original, parameters.original_member)
    released = download_glove(parameters.released, parameters.released_member)
    return audit_codebook(certified, original, released, parameters.folder())


def _audited(parameters: Audit) -> Audited:
    certified, graph = parameters.certified, parameters.graph_file
    terms = parameters.neighbouring(certified.neighbouring if certified else {})
    with threadpool_limits(limits=1), bars():
        source = download_glove(
            parameters.original, parameters.original_member, private=not parameters.public, stored=True
        )
        release = download_glove(parameters.released, parameters.released_member)
        another_release = (
            None if parameters.another is None else download_glove(parameters.another, parameters.another_member)
        )
        graph_terms = None if graph else GraphTerms(terms.search, terms.recall, terms.n_neighbours, terms.adjacency)
        own_graph_terms = graph_terms if parameters.by_own_graph else None
        words = words_or_space(source, parameters.limit, terms.tau, terms.isolated, own_graph_terms)
        public = None
        if parameters.neighbourhoods_from is not None and certified is not None:
            public_file, size = (
                download_glove(parameters.neighbourhoods_from),
                certified.neighbouring.get("public_words"),
            )
            public = words_or_space(public_file, size, terms.tau, terms.isolated, graph_terms)
        options = Options(parameters.draws, parameters.false_alarm)
        sizes = Sizes(public, graph)
        return audit_task(
            words,
            sizes,
            source,
            release,
            another_release,
            parameters.claim(),
            options,
            parameters.seed,
            parameters.folder(),
        )
