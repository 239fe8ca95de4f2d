"""The encoding of texts: its parameters, and the encoding of a file."""

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from nadp.choices import BetweenGroups, Isolated, Output, Search, TokenizerName, Unknown
from nadp.cli.files import check_file, ledger_file, local_embedding
from nadp.cli.groups import Grouped, now
from nadp.cli.types import (
    AtLeastOne,
    Delta,
    Encodable,
    Epsilon,
    Language,
    ListLength,
    Recall,
    ShareOrNone,
    Tau,
)
from nadp.errors import InputError
from nadp.files.model_places import tokenizer_of
from nadp.files.paths import absolute
from nadp.texts.files import Texts, format_of
from nadp.tokens import ENGLISH, Tokenizer

if TYPE_CHECKING:
    from nadp.embeddings import Embeddings
    from nadp.texts import GroupMechanism, Subwords, TextEncoder
    from nadp.texts.files.encoding import EncodingTerms


class Encode(Grouped):
    """Encode every text of a file with fresh noise for each token, and write the output with a certificate.

    The noise is drawn with the operating system's randomness and has no seed. Repeat an interrupted run with the same
    parameters to continue it. Noise for a text is never drawn twice for the same output.
    """

    texts: str
    """A file of texts (.txt: one text per line; .csv, .tsv: with a header; .jsonl: one object per line; .parquet)."""
    embedding: str
    """Public word vectors: a file (GloVe or word2vec text, plain, .gz or .zip; .bin, .npz,
    .safetensors, .parquet, .arrow), the folder of a static model, or "sample".
    """
    epsilon: Epsilon | None = None
    """Privacy budget of one token; a smaller epsilon means more noise. Required, except for groups. With groups, it is
    an epsilon per unit of distance (metric privacy) that hides a group among nearby groups: see between_groups.
    """
    out: str
    """Folder of the output: part-00000.parquet, ... with ids and encoded texts, certificate.json and certificate.md.
    The folder .<name>.record next to it records the finished parts and is not for publication.
    """
    output: Output = "vectors"
    """Output for each text: the vectors of its tokens, their mean (centroids), or the decoded words."""
    text_column: str = "text"
    """Column of the texts, in files with columns."""
    id_column: str | None = None
    """Column of ids, strings or integers. It is published unchanged, so it must not be private. Default: texts are
    numbered from 0.
    """
    mechanism: Encodable = "nadp"
    """nadp calibrates the noise of each word to its neighbourhood; gaussian and laplacian give all words the largest
    noise scale; mahalanobis follows the covariance of the vectors (its epsilon has another unit); groups gives each
    token the centroid of its word's group, which is always the same. This is another kind of guarantee, not
    differential privacy.
    """
    between_groups: BetweenGroups | None = None
    """For groups with an epsilon: draw a group, near groups more often than far ones (exponential), or add noise to the
    centroid (gaussian). Default: exponential.
    """
    tau: Tau = 0.1
    """Least overlap (Jaccard index) of two words' neighbour lists for an edge of the graph, from 0 to 1."""
    isolated: Isolated = "nearest"
    """Policy for isolated words: join them to their nearest word (nearest), give them the largest noise but no
    guarantee (global), or count them as unknown (drop). The paper's policy, exact, adds no noise to them and is
    refused.
    """
    delta: Delta | None = None
    """Probability of failure. Default: min(1e-6, 0.1 / number of words)."""
    language: Language = ENGLISH
    """Language of the texts, as a code such as fr."""
    tokenizer: TokenizerName | None = None
    """How texts are split: at white space (spaces), at Unicode's word boundaries (words), in the Penn Treebank style
    (treebank), or by the tokenizer of the static model (model). Default: model for a static model; otherwise treebank
    for English, and words for any other language.
    """
    unknown: Unknown = "drop"
    """Treatment of unknown tokens: leave them out (drop), refuse the text before anything is drawn (error), or encode
    the known word that is nearest to their parts (subword).
    """
    max_unknown: ShareOrNone | None = None
    """Refuse the texts, before anything is published, if more than this share of their tokens is unknown. By default,
    a share above one half causes a warning.
    """
    subwords: str | None = None
    """A fastText model (.bin), for unknown=subword."""
    budget: Epsilon | None = None
    """Privacy budget of all tokens of a text together. Default: no limit."""
    over_budget: Literal["spread", "refuse"] = "spread"
    """Treatment of texts that exceed the budget: give all their tokens more noise (spread), or refuse them before
    anything is drawn.
    """
    shuffle: bool = False
    """Put the tokens of each text in random order."""
    length: AtLeastOne | None = None
    """Give every text this number of tokens: long texts are cut, short ones are filled with random words. Default: the
    number of tokens is not hidden.
    """
    decode: Literal["nearest", "likely", "random"] = "likely"
    """For output=words: the word with the nearest vector (nearest), or the most likely word given each word's noise
    scale (likely). For groups: the most frequent word of the group (likely), or a random one (random).
    """
    frequencies: str | None = None
    """For output=words: a public list of words, with counts or the most frequent first. Default: all words are equally
    frequent.
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
    """Number of most frequent words that count as known. Default: all."""
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
    accept_weak_privacy: bool = False
    """Accept an epsilon above 10, which gives almost no protection."""
    shard_texts: AtLeastOne = 1000
    """Texts per part; doubled until there are at most 400 parts."""
    series: str | None = None
    """For groups: name of the series, which has one partition. Default: the series with nearly the same words."""
    ledger: str | None = None
    """For groups: the ledger that records the partition of a series. Default: ledger.sqlite in NADP_HOME."""

    def check(self) -> None:
        """Refuse missing texts, embeddings and files, and parameters that contradict each other."""
        self.check_texts()
        self.check_embedding(self.embedding)
        if self.tokenizer == "model" and not self.may_be_model(self.embedding):
            raise InputError("tokenizer 'model' needs a static model, which comes with a tokenizer.json")
        self.check_groups(self.mechanism)
        self.check_budget(self.mechanism, *(["budget"] if self.between_groups == "gaussian" else ["delta", "budget"]))
        if self.between_groups is not None and (self.mechanism != "groups" or self.epsilon is None):
            raise InputError("between_groups is for groups with an epsilon: give mechanism=groups and epsilon")
        if self.over_budget == "refuse" and self.budget is None:
            raise InputError("over_budget=refuse needs a budget: give budget as well")
        if self.decode != "likely" and self.output != "words":
            raise InputError(f"decode={self.decode} is for output=words: leave it out, or choose output=words")
        if self.mechanism != "groups" and self.decode == "random":
            raise InputError("decode=random is for groups only: for noise, choose decode=likely or nearest")
        if self.frequencies is not None and (self.output, self.decode) != ("words", "likely"):
            raise InputError("frequencies are for output=words with decode=likely: leave them out")
        check_file(self.frequencies)
        check_file(self.subwords)
        super().check()

    def check_texts(self) -> None:
        """Refuse missing texts.

        Raises:
            InputError: if there is no such file.
            FormatError: if its suffix is unknown.
        """
        check_file(self.texts)
        format_of(Path(self.texts))

    @property
    def terms(self) -> "EncodingTerms":
        """Treatment of each text."""
        from nadp.texts.files.encoding import EncodingTerms  # noqa: PLC0415 - slow to import

        return EncodingTerms(self.output, self.budget, self.over_budget, self.shuffle, self.length, self.decode)

    @property
    def group_mechanism(self) -> "GroupMechanism | None":
        """The mechanism between groups, if there is one."""
        from nadp.texts import GroupMechanism  # noqa: PLC0415 - slow to import

        if self.epsilon is None:
            return None
        return GroupMechanism(self.between_groups or "exponential", self.epsilon, self.delta)

    @property
    def partition_copy(self) -> Path:
        """Path where the partition of groups is saved for later runs of the series."""
        out = absolute(self.out)
        return out.with_name(f"{out.name}.partition.npz")

    def splits(self, model: str | None) -> Tokenizer:
        """Return how texts are split.

        Args:
            model: content of the tokenizer.json, if the embedding is a static model.
        """
        return Tokenizer.of(self.language, self.tokenizer, model)


def encode_texts(parameters: Encode) -> str:
    """Encode every text of a file with fresh noise, and return a line about the output.

    Repeat an interrupted run with the same parameters to continue it.

    Raises:
        InputError: if a text or a parameter is refused.
        FormatError: if a text cannot be read; the message names the place, never the text.
    """
    from nadp.texts.files.output import encode_file  # noqa: PLC0415 - slow to import

    parameters.check()
    texts, out = (
        Texts(absolute(parameters.texts), parameters.text_column, parameters.id_column),
        absolute(parameters.out),
    )
    counts = encode_file(
        texts,
        _encoder(parameters),
        out,
        terms=parameters.terms,
        frequencies=absolute(parameters.frequencies),
        shard_texts=parameters.shard_texts,
        max_unknown=parameters.max_unknown,
    )
    return f"texts in {out}; tokens, unknown ones and others are counted in {counts}, for the owner of the texts only"


def _encoder(parameters: Encode) -> "TextEncoder":
    from nadp.cli.reading import read_given, space_of  # noqa: PLC0415 - slow to import
    from nadp.texts import Subwords, TextEncoder  # noqa: PLC0415 - as above

    embeddings, _ = read_given(parameters)
    subwords = None if parameters.subwords is None else Subwords.read(absolute(parameters.subwords))
    if parameters.mechanism == "groups" or parameters.epsilon is None:  # check() ensures that noise has an epsilon
        return _of_groups(parameters, embeddings, subwords)
    return TextEncoder.build(
        space_of(embeddings, parameters),
        epsilon=parameters.epsilon,
        delta=parameters.delta,
        mechanism=parameters.mechanism,
        unknown=parameters.unknown,
        subwords=subwords,
        accept_weak_privacy=parameters.accept_weak_privacy,
        tokenizer=parameters.splits(tokenizer_of(local_embedding(parameters.embedding))),
    )


def _of_groups(parameters: Encode, embeddings: "Embeddings", subwords: "Subwords | None") -> "TextEncoder":
    """Return an encoder of groups; record its partition in the ledger, and save it next to the output."""
    from nadp.cli.reading import groups_of  # noqa: PLC0415 - slow to import
    from nadp.release import Ledger  # noqa: PLC0415 - as above
    from nadp.release.partitions import PartitionSeries  # noqa: PLC0415 - as above
    from nadp.texts import group_encoder  # noqa: PLC0415 - as above

    groups = groups_of(embeddings, parameters)
    series = PartitionSeries(parameters.series, parameters.accept_another_partition, now(), parameters.partition_copy)
    series.enter(Ledger(ledger_file(parameters.ledger)), groups.partition)
    return group_encoder(
        embeddings,
        groups.partition,
        between=parameters.group_mechanism,
        sensitive=groups.sensitive,
        unknown=parameters.unknown,
        subwords=subwords,
        tokenizer=parameters.splits(tokenizer_of(local_embedding(parameters.embedding))),
    )
