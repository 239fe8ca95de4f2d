"""The audit: how private is a released embedding really. Run it with `python -m flows.audit`."""

if __name__ == "__main__":  # before what is slow to import: help and refusals need none of it
    from flows.command_line import main

    main("audit")

from prefect import flow
from prefect.client.schemas.objects import State
from prefect.states import Completed, Failed
from threadpoolctl import threadpool_limits

from flows.bars import bars
from flows.parameters.audit import Audit
from nadp.audit.auditing import Options
from nadp.audit.certified import Certified
from nadp.cli.audit import said_of
from nadp.cli.declared import takes
from tasks.audit import audit as audit_task
from tasks.embedding import download_glove
from tasks.space import GraphTerms, whole_space


@flow(name="audit", flow_run_name="audit {released}", persist_result=False)
@takes(Audit)
def audit(given: Audit) -> State[str]:
    """Audit a release and say how many of its checks passed."""
    claim = given.claim()
    certified = claim if isinstance(claim, Certified) else None
    terms = given.neighbouring(certified.neighbouring if certified else {})
    limit = certified.words if certified and given.words is None else given.words
    with threadpool_limits(limits=1), bars():
        source = download_glove(given.original, given.original_member, private=not given.public)
        release = download_glove(given.released, given.released_member)
        second = None if given.another is None else download_glove(given.another, given.another_member)
        how = GraphTerms(terms.search, terms.recall, terms.n_neighbours, terms.adjacency)
        _, space = whole_space(source, limit, terms.tau, terms.isolated, how)
        options = Options(given.draws, given.false_alarm)
        found = audit_task(space, source, release, second, claim, options, given.seed, given.folder)
    kind = Failed if given.strict and found.failed else Completed
    return kind(message=said_of(found.folder, found.checks, found.failed), data=found.folder)
