"""The release of private vectors: its parameters, and the release of a file."""

from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from nadp.choices import Isolated, Sampler, Search
from nadp.cli.files import ledger_file, local_embedding
from nadp.cli.groups import Grouped, now
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
from nadp.errors import InputError
from nadp.files.formats import Format, format_of, names_format, refuse_misnamed
from nadp.files.model_places import TABLE, WRITTEN
from nadp.files.outputs import refuse_inputs, refuse_unwritable
from nadp.files.paths import absolute
from nadp.release.places import places, places_of_codebook, refuse_private

if TYPE_CHECKING:
    from nadp.release.basis import Basis, Sizing
    from nadp.release.codebook import CodebookOrder
    from nadp.release.publishing import Order


_OF_NOISE = ("epsilon", "delta", "budget", "neighbourhoods_from", "graph", "sensitivity", "clip", "bound")
_LIMITS_OF_GROUPS = ("max_word_share", "max_group", "max_one_topic")


class Release(Grouped):
    """Publish a private copy of an embedding with a certificate, or refuse and give the reason.

    The noise is drawn with the operating system's randomness. It has no seed and cannot be reproduced.
    """

    embedding: str
    """The vectors to make private: a file (GloVe or word2vec text, plain, .gz or .zip; .bin, .npz, .safetensors,
    .parquet, .arrow), the folder of a static model (Model2Vec, Sentence Transformers), or "sample".
    """
    epsilon: Epsilon | None = None
    """Privacy budget of this release; a smaller epsilon means more noise. Required, except for groups: they have none.
    """
    out: str
    """File of the private vectors. The suffix selects the format: .txt (GloVe), .vec or .w2v (word2vec text), .bin
    (word2vec binary), .npz, .safetensors, .parquet, .arrow; .gz or .zip may follow a text format. The
    certificate is written next to it. Without a suffix: the folder of a static model, if the embedding is one.
    """
    delta: Delta | None = None
    """Probability of failure. Default: min(1e-6, 0.1 / number of words)."""
    mechanism: Releasable = "nadp"
    """nadp calibrates the noise of each word to its neighbourhood; gaussian gives all words the largest noise scale;
    groups writes a public codebook instead, which gives each word the centroid of its group (public embeddings only).
    """
    tau: Tau = 0.1
    """Least overlap (Jaccard index) of two words' neighbour lists for an edge of the graph, from 0 to 1."""
    isolated: Isolated = "nearest"
    """Policy for isolated words: join them to their nearest word (nearest), give them the largest noise but no
    guarantee (global), or leave them out (drop). The paper's policy, exact, adds no noise to them and is refused.
    """
    member: str | None = None
    """Name of the file to read, if the embedding is a zip archive of several files."""
    sha256: str | None = None
    """Expected SHA-256 of the embedding file. Any other file is refused."""
    strict: bool = False
    """Refuse an embedding with repeated or unusable words (empty, not UTF-8, or with tabs). Otherwise they are left out
    and counted.
    """
    words: AtLeastOne | None = None
    """Number of most frequent words to release, and to read from the public embedding (neighbourhoods_from). Default:
    all.
    """
    search: Search = "auto"
    """Neighbour search: exact; annoy or nndescent (approximate, tuned to `recall`); or auto (exact up to 200,000
    words).
    """
    recall: Recall = 0.95
    """Share of the true neighbours that an approximate search must find."""
    n_neighbours: ListLength = 10
    """Length of the compared neighbour lists, including the word itself."""
    adjacency: ListLength = 2
    """Number of words of a list that count as adjacent, including the word itself."""
    format: Format | None = None
    """Format of the vectors. Default: by the suffix of `out`."""
    max_recovery: Share = 0.5
    """Refuse if an attack recovers more than this share of the words, either from a test draw or from all releases of
    the series together.
    """
    max_tail: ShareOrNone = 0.05
    """Refuse if more than this share of the words is recovered with a probability above one half."""
    accept_weak_privacy: bool = False
    """Accept almost no protection: an epsilon above 10 at delta 1e-6, or a delta above 1 / number of words."""
    embedding_is_public: bool | None = None
    """Declare the embedding public. The certificate then states figures that depend on the vectors (components, noise,
    audits, hashes), and the vectors are cached in NADP_HOME. Never set this for private vectors: it partly discloses
    them. Default: only for published tables.
    """
    budget: Epsilon | None = None
    """Refuse if all releases of the series together would exceed this epsilon, at the delta of the ledger. A
    series keeps its first budget.
    """
    sampler: Sampler = "system"
    """Source of the noise: the operating system's randomness (system), or OpenDP's exact sampler (opendp), which is
    about a hundred times slower.
    """
    neighbourhoods_from: str | None = None
    """A public embedding. The noise is calibrated to its graph, so the guarantee is unconditional. Words that it lacks
    are left out, or get `sensitivity`. Default: the graph of the vectors themselves, with a conditional guarantee.
    """
    sensitivity: Positive | None = None
    """A public constant: the largest distance between two possible vectors of a word. The noise of all words is
    calibrated to it or, with a public embedding, only the noise of words that this embedding lacks.
    """
    clip: Positive | None = None
    """A length to which longer vectors are shortened. The guarantee then covers any replacement of a word's vector."""
    bound: Positive | None = None
    """With a public graph or constant: a public bound on the numbers in the vectors. Default: 1000 times the largest
    sensitivity.
    """
    series: str | None = None
    """Name of the series whose budget is spent, for example the series of an embedding that is retrained every week.
    Deployments must set it. Default: the series with these words or vectors, or a new one.
    """
    unrelated: bool = False
    """Declare the table unrelated to other series that share nine tenths of its words."""
    max_unprotected: ShareOrNone = 0.05
    """Refuse if more than this share of the words would have no guarantee (isolated=global)."""
    max_word_share: Share = 0.34
    """For groups: refuse if a word has more than this share of the prior of its group."""
    max_group: AtLeastOne = 1_000
    """For groups: refuse a group with more words than this. Its centroid would carry hardly any meaning."""
    max_one_topic: ShareOrNone = 0.25
    """For groups: refuse if more than this share of the words, weighted by the prior, lies in groups of one topic."""
    ledger: str | None = None
    """File that records releases and budgets. It must be on a local disk, or in a shared folder with reliable file
    locks. Default: ledger.sqlite in NADP_HOME.
    """
    graph: str | None = None
    """File for the graph of the noise calibration, for audits; only its owner can read it. The certificate states its
    hash. Default: an approximate graph is saved in the folder graphs next to the ledger; an exact one is reproducible.
    """

    def check(self) -> None:
        """Refuse outputs that cannot be written, a ledger without a path, and missing embeddings."""
        if self.as_model and (self.isolated == "drop" or self.words is not None):
            raise InputError(
                "no row of a model may be left out (isolated='drop', `words`), since the rows are the ids of its "
                "tokens: choose another policy, or let `out` end in .safetensors to release a plain table"
            )
        if not self.as_model:
            refuse_misnamed(self.where, self.format or format_of(self.out))
        self.check_groups(self.mechanism)
        self.check_budget(self.mechanism, *_OF_NOISE)
        self._check_effect()
        if self.mechanism == "groups":
            if self.as_model:
                raise InputError("a codebook is a table, not a static model: give a table of the model's vectors")
            refuse_private(public=self.public)
        inputs = self.embedding, self.neighbourhoods_from, self.prior_from, self.sensitive, self.topics, self.partition
        refuse_inputs(self._outputs(), *inputs, ledger_file(self.ledger))
        if self.graph_file is not None:
            refuse_inputs((self.graph_file,), self.embedding, self.neighbourhoods_from, ledger_file(self.ledger))
        written = [*self._outputs(), *([] if self.graph_file is None else [self.graph_file])]
        refuse_unwritable([*written, ledger_file(self.ledger)])
        self.check_embedding(self.embedding)
        if self.neighbourhoods_from is not None:
            self.check_embedding(self.neighbourhoods_from)
        super().check()

    def _check_effect(self) -> None:
        """Refuse limits of groups without groups, and a file for a graph that is not built."""
        given = [name for name in _LIMITS_OF_GROUPS if getattr(self, name) != type(self).model_fields[name].default]
        if given and self.mechanism != "groups":
            raise InputError(f"{', '.join(given)}: only for the mechanism groups, not for {self.mechanism}")
        if self.graph is not None and self.sizing.by_a_constant and self.neighbourhoods_from is None:
            raise InputError("graph: noise by a constant (sensitivity, clip) has no graph: leave graph out")

    def _outputs(self) -> list[Path]:
        """Return the files that the release writes."""
        if self.mechanism != "groups":
            return [*places(self.where)]

        return [self.where, *places_of_codebook(self.where).values()]

    @property
    def where(self) -> Path:
        """The file of the private vectors."""
        out = absolute(self.out)
        return out / TABLE if self.as_model else out

    @property
    def as_model(self) -> bool:
        """Whether the output is a static model: the embedding may be one, and `out` names no format."""
        return self.format is None and not names_format(self.out) and self.may_be_model(self.embedding)

    @property
    def graph_file(self) -> Path | None:
        """The file of the graph, if one is given."""
        return absolute(self.graph)

    @property
    def public(self) -> bool:
        """Whether the certificate may state figures that depend on the vectors."""
        return self.is_public(self.embedding) if self.embedding_is_public is None else self.embedding_is_public

    @property
    def sizing(self) -> "Sizing":
        """How the noise is calibrated."""
        from nadp.release.basis import Sizing  # noqa: PLC0415 - slow to import

        return Sizing(self.mechanism, self.sensitivity, self.clip, self.bound)

    def order(self, release_id: str, source: Path) -> "Order":
        """Return the request for a release.

        Args:
            release_id: id of the release; an id is published only once.
            source: the file of the embedding.
        """
        if self.epsilon is None:
            raise InputError(f"the mechanism {self.mechanism} needs an epsilon")
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
            model=source if self.as_model else None,
            at=now(),
        )

    def codebook_order(self) -> "CodebookOrder":
        """Return the request for a codebook."""
        from nadp.release.codebook import CodebookLimits, CodebookOrder  # noqa: PLC0415 - slow to import

        return CodebookOrder(
            self.where,
            self.public,
            CodebookLimits(self.max_word_share, self.max_group, self.max_one_topic),
            series=self.series,
            accept_another_partition=self.accept_another_partition,
            format=self.format,
            at=now(),
        )

    def codebook_said(self, words: int, read: int) -> str:
        """Return a message that states where a codebook is, and how many of the words read it holds."""
        message = f"codebook in {self.where}; map, partition and certificate beside it; {words:,} words"
        left_out = read - words
        return f"{message}; {left_out:,} words have no group, since they would violate a bound" if left_out else message


def release_file(parameters: Release) -> str:
    """Publish a private copy of an embedding file with its certificate; return a message: its path and omitted words.

    Raises:
        RefusedError: if the gate refuses.
        BudgetError: if the budget of the series is spent.
        InputError: if a parameter is out of range.
    """
    from nadp.files.durable import sha256_of  # noqa: PLC0415 - slow to import
    from nadp.release import Ledger  # noqa: PLC0415 - as above
    from nadp.release.publishing import publish  # noqa: PLC0415 - as above
    from nadp.report.certificate import certificate_page  # noqa: PLC0415 - as above

    parameters.check()
    if parameters.mechanism == "groups":
        return _codebook(parameters)
    basis, left_out = _basis(parameters)
    source = local_embedding(parameters.embedding)
    order = parameters.order(str(uuid4()), source)
    publish(basis, order, Ledger(ledger_file(parameters.ledger)), sha256_of(source), certificate_page)
    message = (
        f"released to {parameters.where} as {WRITTEN}, certificate beside it; {len(basis.original):,} words were read"
    )
    return f"{message}; left out of the embedding: {left_out}" if left_out else message


def _codebook(parameters: Release) -> str:
    """Publish a codebook of groups, instead of vectors with noise."""
    from nadp.cli.reading import groups_of, read_given  # noqa: PLC0415 - slow to import
    from nadp.files.durable import sha256_of  # noqa: PLC0415 - as above
    from nadp.release import Ledger  # noqa: PLC0415 - as above
    from nadp.release.codebook import publish_codebook  # noqa: PLC0415 - as above

    original, _ = read_given(parameters)
    groups = groups_of(original, parameters)
    published, ledger = original.subset(groups.rows), Ledger(ledger_file(parameters.ledger))
    source = sha256_of(local_embedding(parameters.embedding))
    publish_codebook(
        published, groups.partition, groups.topics, parameters.codebook_order(), ledger, source, groups.sensitive
    )
    return parameters.codebook_said(len(published), len(original))


def _basis(parameters: Release) -> "tuple[Basis, str]":
    """Return the basis of a release, and what the reader left out of the embedding."""
    from nadp.cli.reading import read, read_given, space_of  # noqa: PLC0415 - slow to import

    original, left_out = read_given(parameters, stored=True)
    public = None
    if parameters.neighbourhoods_from is not None:
        public = space_of(
            read(parameters.neighbourhoods_from, words=parameters.words, strict=parameters.strict)[0], parameters
        )
    own_graph = public is None and not parameters.sizing.by_a_constant
    return parameters.sizing.basis(space_of(original, parameters) if own_graph else original, public), left_out
