"""The release: private vectors with a certificate, or a refusal. Run it with `python -m flows.release`."""

from datetime import UTC, datetime
from pathlib import Path

from prefect import flow
from prefect.client.schemas.objects import State
from prefect.runtime import deployment, flow_run
from prefect.states import Completed
from threadpoolctl import threadpool_limits

from flows.bars import bars
from flows.parameters import (
    AtLeastOne,
    Delta,
    Epsilon,
    ListLength,
    Positive,
    Recall,
    Releasable,
    Share,
    ShareOrNone,
    Tau,
)
from nadp.components import Isolated
from nadp.errors import InputError
from nadp.files.outputs import refuse_inputs
from nadp.files.writing import Format, format_of
from nadp.noise.grid import Sampler
from nadp.release import Limits
from nadp.release.basis import Sizing
from nadp.release.publishing import Order, places
from nadp.search import Search
from tasks.embedding import download_glove
from tasks.release import ledger_file, publish_release
from tasks.sources.archives import GLOVE
from tasks.space import GraphTerms, Space, whole, whole_space
from tasks.store.private import Reference
from tasks.store.sharing import check_store

_PUBLIC = ("sample", *GLOVE)


@flow(name="release", flow_run_name="release {embedding} eps={epsilon}", persist_result=False)
def release(
    embedding: str,
    epsilon: Epsilon,
    out: str,
    delta: Delta | None = None,
    mechanism: Releasable = "nadp",
    tau: Tau = 0.1,
    isolated: Isolated = "nearest",
    member: str | None = None,
    sha256: str | None = None,
    strict: bool = False,
    words: AtLeastOne | None = None,
    search: Search = "auto",
    recall: Recall = 0.95,
    n_neighbours: ListLength = 10,
    adjacency: ListLength = 2,
    format: Format | None = None,  # noqa: A002 - the name that users know
    max_recovery: Share = 0.5,
    accept_weak_privacy: bool = False,
    embedding_is_public: bool | None = None,
    budget: Epsilon | None = None,
    sampler: Sampler = "system",
    neighbourhoods_from: str | None = None,
    sensitivity: Positive | None = None,
    clip: Positive | None = None,
    bound: Positive | None = None,
    series: str | None = None,
    unrelated: bool = False,
    max_unprotected: ShareOrNone = 0.05,
    ledger: str | None = None,
) -> State[str]:
    """Publish a private copy of an embedding with a certificate, or refuse and say why.

    The noise comes from the operating system's randomness: there is no seed, and no run makes the same vectors again.

    Args:
        embedding: The vectors to make private: a file (GloVe or word2vec text, plain, .gz or .zip; .bin, .npz,
            .safetensors), "sample", or the name of a published table such as glove.6B.100d.
        epsilon: Privacy budget of this release; a smaller one means more noise.
        out: Where the private vectors go. The suffix says the format: .txt (GloVe), .vec or .w2v (word2vec text), .bin
            (word2vec binary), .npz, .safetensors; .gz or .zip may follow a text format. The certificate goes beside it.
        delta: Probability of failure; left empty, min(1e-6, 0.1 / number of words).
        mechanism: nadp sizes the noise of each word by its neighbourhood, gaussian gives all words the largest.
        tau: Least overlap of two words' neighbour lists for an edge of the graph, 0 to 1.
        isolated: What to do with words alone in the graph: join them to their nearest word (nearest), give them the
            largest noise but no promise (global), or leave them out (drop). exact, the paper's reading, releases them
            as they are: it is refused.
        member: Which file of a zip archive that holds several.
        sha256: What the embedding file must hold; refused if it does not.
        strict: Refuse an embedding with repeated or unusable words (empty, not UTF-8, with tabs in them); else they
            are left out and counted.
        words: How many of the most frequent words to release; left empty, all.
        search: How neighbours are found: exact, annoy (approximate, tuned to recall), or auto (by number of words).
        recall: Share of the true neighbours that annoy must find.
        n_neighbours: Length of the neighbour lists that are compared, the word itself included.
        adjacency: How many words of a list count as adjacent, the word itself included.
        format: Format of the vectors; left empty, what the suffix of `out` says.
        max_recovery: Refuse if an attack gets back more than this share of the words from a draw made for the test.
        accept_weak_privacy: Allow what protects next to nothing: an epsilon above 10 at delta 1e-6, or a delta above
            one in the number of words.
        embedding_is_public: Let the certificate tell what depends on the vectors (components, noise, audits, hashes),
            which leaks where they are private, and let NADP_HOME keep them for the next run; left empty, only for the
            published tables.
        budget: Refuse if all releases of the series together would have an epsilon above this, at the delta of the
            ledger. The first that a series is given stays with it.
        sampler: Where the noise comes from: the operating system's randomness (system), or OpenDP's exact sampler
            (opendp), some hundred times slower.
        neighbourhoods_from: A public embedding (a file, "sample" or a published name) whose graph sizes the noise, so
            that the guarantee is unconditional; left empty, the graph of the vectors themselves, whose guarantee is
            conditional. Words that it lacks are left out, or get `sensitivity`.
        sensitivity: A public constant: how far apart two vectors of a word may be. It sizes the noise of all words, or
            of those that the public embedding lacks.
        clip: A length to which longer vectors are shortened; the guarantee is for any replacement of a word's vector.
        bound: With a public graph or constant, a public bound on the numbers in the vectors; left empty, 1000 times
            the largest sensitivity.
        series: Name of the series whose budget is spent, such as that of an embedding that is trained anew each week;
            required where a deployment runs. Left empty, the series that has these words or vectors, or a new one.
        unrelated: Declare that the table has nothing to do with other series that have nine tenths of its words.
        max_unprotected: Refuse if more than this share of the words would have no guarantee at all (isolated=global).
        ledger: File that releases are entered in; left empty, ledger.sqlite in NADP_HOME. It must lie on a disk
            of this machine or a shared folder with sound file locks.
    """
    if format is None:
        format_of(out)  # refuses a suffix that says nothing before any work is done
    where = Path(out).expanduser().absolute()
    refuse_inputs(places(where), embedding, neighbourhoods_from, ledger_file(ledger))
    if series is None and deployment.id is not None:
        raise InputError("name the series whose budget a deployment spends (series): its vectors change with each run")
    check_store()
    public = embedding in _PUBLIC if embedding_is_public is None else embedding_is_public
    order = Order(
        id=str(flow_run.id),
        out=where,
        epsilon=epsilon,
        delta=delta,
        limits=Limits(max_recovery, accept_weak_privacy=accept_weak_privacy, max_unprotected=max_unprotected),
        embedding_is_public=public,
        budget=budget,
        format=format,
        sampler=sampler,
        series=series,
        unrelated=unrelated,
        at=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    with threadpool_limits(limits=1), bars():
        source = download_glove(embedding, member, sha256, private=not public, strict=strict)
        terms, sizing = GraphTerms(search, recall, n_neighbours, adjacency), Sizing(mechanism, sensitivity, clip, bound)
        original: Reference | Space
        public_space = None
        if neighbourhoods_from is not None or sizing.by_a_constant:
            kept = whole(source, words)
            original = kept.embeddings
        else:
            kept, original = whole_space(source, words, tau, isolated, terms)
        if neighbourhoods_from is not None:
            _, public_space = whole_space(
                download_glove(neighbourhoods_from, strict=strict), words, tau, isolated, terms
            )
        publish_release(original, public_space, sizing, source, order, ledger)
    said = f"released to {where}, certificate beside it; {kept.words:,} words were read"
    said += f"; left out of the embedding: {kept.counts.left_out}" if kept.counts.left_out else ""
    return Completed(message=said, data=str(where))


if __name__ == "__main__":
    from flows.command_line import main

    main("flows.release", "release")
