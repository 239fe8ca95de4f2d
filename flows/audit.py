"""The audit: how private is a released embedding really. Run it with `python -m flows.audit`."""

from datetime import UTC, datetime
from typing import Literal

from prefect import flow
from prefect.client.schemas.objects import State
from prefect.states import Completed, Failed
from pydantic import BaseModel
from threadpoolctl import threadpool_limits

from flows.bars import bars
from flows.parameters import (
    AtLeastOne,
    Delta,
    Draws,
    Epsilon,
    FalseAlarm,
    ListLength,
    MechanismName,
    Recall,
    Share,
    Tau,
)
from nadp.audit.auditing import Options
from nadp.audit.certified import Certified, read_certificate
from nadp.components import Isolated
from nadp.errors import InputError
from nadp.mechanisms import Guarantee, claimed
from nadp.search import Search
from tasks.audit import audit as audit_task
from tasks.embedding import download_glove, local_file
from tasks.sources.archives import GLOVE
from tasks.space import GraphTerms, whole_space
from tasks.store.sharing import check_store

_PUBLIC = ("sample", *GLOVE)


@flow(name="audit", flow_run_name="audit {released}", persist_result=False)
def audit(
    original: str,
    released: str,
    certificate: str | None = None,
    mechanism: MechanismName | None = None,
    epsilon: Epsilon | None = None,
    delta: Delta | None = None,
    regularisation: Share | None = None,
    another: str | None = None,
    original_member: str | None = None,
    released_member: str | None = None,
    another_member: str | None = None,
    words: AtLeastOne | None = None,
    tau: Tau | None = None,
    isolated: Isolated | None = None,
    search: Search | None = None,
    recall: Recall | None = None,
    n_neighbours: ListLength | None = None,
    adjacency: ListLength | None = None,
    draws: Draws = 20_000,
    false_alarm: FalseAlarm = 0.01,
    seed: int = 0,
    original_is_public: bool | None = None,
    strict: bool = False,
    out: str | None = None,
) -> State[str]:
    """Audit a released embedding against the original, whoever made it: what an attacker gets, and what is claimed.

    Args:
        original: The embedding without noise: a GloVe text file (plain, .gz or .zip), or "sample".
        released: The released embedding, words as in the original.
        certificate: What is claimed of the release: a JSON file with mechanism, epsilon and delta. If it names the
            SHA-256 of the file that it describes, any other file fails.
        mechanism: The claimed mechanism, where there is no certificate.
        epsilon: The claimed epsilon, where there is no certificate.
        delta: The claimed delta, where there is no certificate.
        regularisation: Lambda of the claimed Mahalanobis noise, where there is no certificate; left empty, 1.
        another: Another release of the same words; its noise must be independent of the first.
        original_member: Which file of the original, where that is a zip archive of several.
        released_member: Which file of the release, where that is a zip archive of several.
        another_member: Which file of the other release, where that is a zip archive of several.
        words: Audit only the first so many words of the original; left empty, as many as the certificate says, or all.
        tau: Least overlap of two words' neighbour lists for an edge of the graph, as claimed; this and the other
            parameters of the graph are left empty where the certificate names them. Without one: 0.1.
        isolated: The policy for words alone in the graph, as claimed; without a certificate: nearest.
        search: How neighbours are found: exact, annoy, or auto; without a certificate: exact.
        recall: Share of the true neighbours that annoy must find.
        n_neighbours: Length of the neighbour lists that are compared, the word itself included; usually 10.
        adjacency: How many words of a list count as adjacent, the word itself included; usually 2.
        draws: Fresh draws of each word of a worst edge for the self-test of the mechanism, which does not look at the
            released file; 0 leaves it out.
        false_alarm: Probability that a release as claimed fails any of the statistical checks.
        seed: Of the samples and the fresh draws.
        original_is_public: Let NADP_HOME keep the original and its graph for the next audit; left empty, only for the
            published tables.
        strict: End as failed (exit code 1) if a check fails; else the run completes and names the failed check.
        out: Folder of the results; left empty, runs/audit-<time>.
    """
    claim = read_certificate(certificate) if certificate else _claim(mechanism, epsilon, delta, regularisation)
    named = claim.neighbouring if isinstance(claim, Certified) else {}
    limit = claim.words if words is None and isinstance(claim, Certified) else words
    given = {"tau": tau, "isolated": isolated, "search": search, "recall": recall}
    given |= {"n_neighbours": n_neighbours, "adjacency": adjacency}
    terms = Terms(**(named | {name: value for name, value in given.items() if value is not None}))
    check_store()
    for path in (original, released, another or "sample"):
        if path not in GLOVE:
            local_file(path)
    with threadpool_limits(limits=1), bars():
        private = original not in _PUBLIC if original_is_public is None else not original_is_public
        source = download_glove(original, original_member, private=private)
        release = download_glove(released, released_member)
        second = None if another is None else download_glove(another, another_member)
        how = GraphTerms(terms.search, terms.recall, terms.n_neighbours, terms.adjacency)
        _, space = whole_space(source, limit, terms.tau, terms.isolated, how)
        folder = out or f"runs/audit-{datetime.now(UTC):%Y%m%d-%H%M%S}"
        found = audit_task(space, source, release, second, claim, Options(draws, false_alarm), seed, folder)
    said = f"; all checks passed ({found.checks})"
    if found.failed:
        passed = found.checks - len(found.failed)
        said = f"; {passed} of {found.checks} checks passed; checks that failed: {', '.join(found.failed)}"
    kind = Failed if strict and found.failed else Completed
    return kind(message=f"report in {found.folder}{said}", data=found.folder)


class Terms(BaseModel):
    """The parameters that say which words are neighbours."""

    tau: Tau = 0.1
    isolated: Isolated = "nearest"
    search: Search = "exact"
    n_neighbours: ListLength = 10
    adjacency: ListLength = 2
    mutual: Literal[False] = False
    recall: Recall = 0.95


def _claim(
    mechanism: MechanismName | None, epsilon: float | None, delta: float | None, regularisation: float | None
) -> Guarantee | None:
    """Return what is claimed by the parameters."""
    given = (mechanism, epsilon, delta)
    if all(value is None for value in given):
        return None
    if mechanism is None or epsilon is None or delta is None:
        raise InputError("a claim needs mechanism, epsilon and delta together (or a certificate)")
    lam = "" if regularisation is None else f"(regularisation={regularisation})"
    return claimed(f"{mechanism}{lam}", epsilon, delta)


if __name__ == "__main__":
    from flows.command_line import main

    main("flows.audit", "audit")
