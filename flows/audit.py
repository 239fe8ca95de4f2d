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
def audit(given: Audit) -> State[str]:
    """Audit a release or a codebook, and report how many checks passed."""
    book = given.codebook()
    found = _audited(given) if book is None else _codebook(given, book)
    kind = Failed if given.strict and found.failed else Completed
    return kind(message=said_of(found.folder, found.checks, found.failed), data=found.folder)


def _codebook(given: Audit, certified: CertifiedCodebook) -> Audited:
    original = download_glove(given.original, given.original_member)
    released = download_glove(given.released, given.released_member)
    return audit_codebook(certified, original, released, given.folder)


def _audited(given: Audit) -> Audited:
    certified, graph = given.certified, given.graph_file
    terms = given.neighbouring(certified.neighbouring if certified else {})
    with threadpool_limits(limits=1), bars():
        source = download_glove(given.original, given.original_member, private=not given.public, stored=True)
        release = download_glove(given.released, given.released_member)
        second = None if given.another is None else download_glove(given.another, given.another_member)
        how = None if graph else GraphTerms(terms.search, terms.recall, terms.n_neighbours, terms.adjacency)
        own = how if given.by_own_graph else None
        words = words_or_space(source, given.limit, terms.tau, terms.isolated, own)
        public = None
        if given.neighbourhoods_from is not None and certified is not None:
            table, size = download_glove(given.neighbourhoods_from), certified.neighbouring.get("public_words")
            public = words_or_space(table, size, terms.tau, terms.isolated, how)
        options = Options(given.draws, given.false_alarm)
        sizes = Sizes(public, graph)
        return audit_task(words, sizes, source, release, second, given.claim(), options, given.seed, given.folder)
