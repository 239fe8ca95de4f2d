"""The release of private vectors: what it takes, and the release of a file."""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from nadp.cli.declared import Parameters
from nadp.cli.files import ledger_file, local_embedding
from nadp.cli.types import (
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
from nadp.files.outputs import refuse_inputs
from nadp.files.writing import Format, format_of
from nadp.noise.grid import Sampler
from nadp.release.publishing import places
from nadp.search import Search

if TYPE_CHECKING:
    from nadp.release.basis import Basis, Sizing
    from nadp.release.publishing import Order


class Release(Parameters):
    """Publish a private copy of an embedding with a certificate, or refuse and say why.

    The noise comes from the operating system's randomness: there is no seed, and no run makes the same vectors again.
    """

    embedding: str
    """The vectors to make private: a file (GloVe or word2vec text, plain, .gz or .zip; .bin, .npz, .safetensors), or
    "sample".
    """
    epsilon: Epsilon
    """Privacy budget of this release; a smaller one means more noise."""
    out: str
    """Where the private vectors go. The suffix says the format: .txt (GloVe), .vec or .w2v (word2vec text), .bin
    (word2vec binary), .npz, .safetensors; .gz or .zip may follow a text format. The certificate goes beside it.
    """
    delta: Delta | None = None
    """Probability of failure; left empty, min(1e-6, 0.1 / number of words)."""
    mechanism: Releasable = "nadp"
    """nadp sizes the noise of each word by its neighbourhood, gaussian gives all words the largest."""
    tau: Tau = 0.1
    """Least overlap of two words' neighbour lists for an edge of the graph, 0 to 1."""
    isolated: Isolated = "nearest"
    """What to do with words alone in the graph: join them to their nearest word (nearest), give them the largest noise
    but no promise (global), or leave them out (drop). exact, the paper's reading, releases them as they are: it is
    refused.
    """
    member: str | None = None
    """Which file of a zip archive that holds several."""
    sha256: str | None = None
    """What the embedding file must hold; refused if it does not."""
    strict: bool = False
    """Refuse an embedding with repeated or unusable words (empty, not UTF-8, with tabs in them); else they are left out
    and counted.
    """
    words: AtLeastOne | None = None
    """How many of the most frequent words to release, and to take from the public embedding (neighbourhoods_from); left
    empty, all.
    """
    search: Search = "auto"
    """How neighbours are found: exact, annoy (approximate, tuned to recall), or auto (by number of words)."""
    recall: Recall = 0.95
    """Share of the true neighbours that annoy must find."""
    n_neighbours: ListLength = 10
    """Length of the neighbour lists that are compared, the word itself included."""
    adjacency: ListLength = 2
    """How many words of a list count as adjacent, the word itself included."""
    format: Format | None = None
    """Format of the vectors; left empty, what the suffix of `out` says."""
    max_recovery: Share = 0.5
    """Refuse if an attack recovers more than this share of the words, from a draw made for the test or from all
    releases of the series together.
    """
    max_tail: ShareOrNone = 0.05
    """Refuse if more than this share of the words is recovered with a probability above one half."""
    accept_weak_privacy: bool = False
    """Allow what protects next to nothing: an epsilon above 10 at delta 1e-6, or a delta above one in the number of
    words.
    """
    embedding_is_public: bool | None = None
    """Let the certificate tell what depends on the vectors (components, noise, audits, hashes), which leaks where they
    are private, and let NADP_HOME keep them for the next run; left empty, only for the published tables.
    """
    budget: Epsilon | None = None
    """Refuse if all releases of the series together would have an epsilon above this, at the delta of the ledger. The
    first that a series is given stays with it.
    """
    sampler: Sampler = "system"
    """Where the noise comes from: the operating system's randomness (system), or OpenDP's exact sampler (opendp), some
    hundred times slower.
    """
    neighbourhoods_from: str | None = None
    """A public embedding whose graph sizes the noise, so that the guarantee is
    unconditional; left empty, the graph of the vectors themselves, whose guarantee is conditional. Words that it lacks
    are left out, or get `sensitivity`.
    """
    sensitivity: Positive | None = None
    """A public constant: how far apart two vectors of a word may be. It sizes the noise of all words, or of those that
    the public embedding lacks.
    """
    clip: Positive | None = None
    """A length to which longer vectors are shortened; the guarantee is for any replacement of a word's vector."""
    bound: Positive | None = None
    """With a public graph or constant, a public bound on the numbers in the vectors; left empty, 1000 times the largest
    sensitivity.
    """
    series: str | None = None
    """Name of the series whose budget is spent, such as that of an embedding that is trained anew each week; required
    where a deployment runs. Left empty, the series that has these words or vectors, or a new one.
    """
    unrelated: bool = False
    """Declare that the table has nothing to do with other series that have nine tenths of its words."""
    max_unprotected: ShareOrNone = 0.05
    """Refuse if more than this share of the words would have no guarantee at all (isolated=global)."""
    ledger: str | None = None
    """File that releases are entered in; left empty, ledger.sqlite in NADP_HOME. It must lie on a disk of this machine
    or a shared folder with sound file locks.
    """
    graph: str | None = None
    """File that keeps the graph which sizes the noise, for audits, readable by its owner only; the certificate states
    its hash. Left empty, an approximate graph is kept in the folder graphs beside the ledger; an exact one can be made
    again.
    """

    def check(self) -> None:
        """Refuse an output without a format, a ledger without a place, and embeddings that are not there."""
        if self.format is None:
            format_of(self.out)
        refuse_inputs(places(self.where), self.embedding, self.neighbourhoods_from, ledger_file(self.ledger))
        if self.graph_file is not None:
            refuse_inputs((self.graph_file,), self.embedding, self.neighbourhoods_from)
        self.check_embedding(self.embedding)
        if self.neighbourhoods_from is not None:
            self.check_embedding(self.neighbourhoods_from)

    @property
    def where(self) -> Path:
        """The file of the private vectors."""
        return Path(self.out).expanduser().absolute()

    @property
    def graph_file(self) -> Path | None:
        """The file of the graph, if one is given."""
        return None if self.graph is None else Path(self.graph).expanduser().absolute()

    @property
    def public(self) -> bool:
        """Whether the certificate may tell what depends on the vectors."""
        return self.is_public(self.embedding) if self.embedding_is_public is None else self.embedding_is_public

    @property
    def sizing(self) -> "Sizing":
        """What sizes the noise."""
        from nadp.release.basis import Sizing  # noqa: PLC0415 - slow to import

        return Sizing(self.mechanism, self.sensitivity, self.clip, self.bound)

    def order(self, release_id: str) -> "Order":
        """Return what is asked of a release.

        Args:
            release_id: the same id is published once.
        """
        from nadp.release import Limits  # noqa: PLC0415 - slow to import
        from nadp.release.publishing import Order  # noqa: PLC0415 - as above

        return Order(
            id=release_id,
            out=self.where,
            epsilon=self.epsilon,
            delta=self.delta,
            limits=Limits(
                self.max_recovery,
                accept_weak_privacy=self.accept_weak_privacy,
                max_unprotected=self.max_unprotected,
                max_tail=self.max_tail,
            ),
            embedding_is_public=self.public,
            budget=self.budget,
            format=self.format,
            sampler=self.sampler,
            series=self.series,
            unrelated=self.unrelated,
            graph=self.graph_file,
            at=datetime.now(UTC).isoformat(timespec="seconds"),
        )


def release_file(given: Release) -> str:
    """Publish a private copy of an embedding file with its certificate; return where it is, and what was left out.

    Raises:
        RefusedError: if the gate refuses.
        BudgetError: if the budget of the series is spent.
        InputError: if a parameter is out of range.
    """
    from nadp.files.durable import sha256_of  # noqa: PLC0415 - slow to import
    from nadp.release import Ledger  # noqa: PLC0415 - as above
    from nadp.release.publishing import publish  # noqa: PLC0415 - as above
    from nadp.report.certificate import certificate_page  # noqa: PLC0415 - as above

    given.check()
    basis, left_out = _basis(given)
    source = sha256_of(local_embedding(given.embedding))
    publish(basis, given.order(str(uuid4())), Ledger(ledger_file(given.ledger)), source, certificate_page)
    said = f"released to {given.where}, certificate beside it; {len(basis.original):,} words were read"
    return f"{said}; left out of the embedding: {left_out}" if left_out else said


def _basis(given: Release) -> "tuple[Basis, str]":
    """Return what a release is made of, and what the reader left out of the embedding."""
    from nadp.cli.reading import read, space_of  # noqa: PLC0415 - slow to import

    words, strict = given.words, given.strict
    original, left_out = read(given.embedding, member=given.member, sha256=given.sha256, words=words, strict=strict)
    public = None
    if given.neighbourhoods_from is not None:
        public = space_of(read(given.neighbourhoods_from, words=words, strict=strict)[0], given)
    own_graph = public is None and not given.sizing.by_a_constant
    return given.sizing.basis(space_of(original, given) if own_graph else original, public), left_out
