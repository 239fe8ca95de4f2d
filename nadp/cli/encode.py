"""The encoding of texts: what it takes, and the encoding of a file."""

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from nadp.cli.declared import Parameters
from nadp.cli.files import check_file
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
from nadp.components import Isolated
from nadp.errors import InputError
from nadp.search import Search
from nadp.texts.files import Texts, format_of
from nadp.texts.files.tables import Output
from nadp.texts.words import Unknown
from nadp.tokens import ENGLISH, Tokenizer, TokenizerName

if TYPE_CHECKING:
    from nadp.texts import TextEncoder
    from nadp.texts.files.encoding import EncodingTerms


class Encode(Parameters):
    """Hide every word of every text with noise of its own, and write what comes out with a certificate.

    The noise comes from the operating system's randomness: there is no seed. A run that died goes on where it was when
    it is started again with the same parameters; no text is ever drawn twice for the same output.
    """

    texts: str
    """A file of texts (.txt: one on each line; .csv, .tsv: with a header; .jsonl: an object on each line; .parquet)."""
    embedding: str
    """The vectors of words, which are public: a file (GloVe or word2vec text, plain, .gz or .zip; .bin, .npz,
    .safetensors), or "sample".
    """
    epsilon: Epsilon
    """Privacy budget of one token; a smaller one means more noise."""
    out: str
    """Folder of the output: part-00000.parquet, ... with an id and what became of the text, and certificate.json and
    .md. Beside it, .<name>.record tells which parts were made; it is not for publication.
    """
    output: Output = "vectors"
    """What is written of each text: the vectors of its tokens, their mean (centroids), or the words that the noisy
    vectors are taken for.
    """
    text_column: str = "text"
    """Where the texts are, in files with columns."""
    id_column: str | None = None
    """A column of strings or integers that comes out as it is, so it must not be private; left empty, texts are
    numbered from 0.
    """
    mechanism: Encodable = "nadp"
    """nadp sizes the noise of each word by its neighbourhood, gaussian and laplacian give all words the largest,
    mahalanobis follows the shape of the vocabulary (its epsilon means something else).
    """
    tau: Tau = 0.1
    """Least overlap of two words' neighbour lists for an edge of the graph, 0 to 1."""
    isolated: Isolated = "nearest"
    """What to do with words alone in the graph: join them to their nearest word (nearest), give them the largest noise
    but no promise (global), or count them as unknown (drop). exact, the paper's reading, would let them through as they
    are: it is refused.
    """
    delta: Delta | None = None
    """Probability of failure; left empty, min(1e-6, 0.1 / number of words)."""
    language: Language = ENGLISH
    """Of the texts, as a code such as fr."""
    tokenizer: TokenizerName | None = None
    """How texts are split: at white space (spaces), at Unicode's word boundaries (words), in the Penn Treebank style
    (treebank), or as the embedding's own model does (model); left empty, treebank for English and words for any other
    language.
    """
    unknown: Unknown = "drop"
    """What to do with tokens that the embedding does not have: leave them out (drop), refuse the text before anything
    is drawn (error), or encode the known word nearest to their parts (subword).
    """
    max_unknown: ShareOrNone | None = None
    """Refuse the texts, before anything is published, if more than this share of their tokens is unknown; left empty,
    more than one half is a warning.
    """
    subwords: str | None = None
    """A fastText model (.bin), for unknown=subword."""
    budget: Epsilon | None = None
    """The most that all tokens of a text together may cost; left empty, no limit."""
    over_budget: Literal["spread", "refuse"] = "spread"
    """What to do with texts that would cost more: give all their tokens more noise (spread), or refuse them before
    anything is drawn.
    """
    shuffle: bool = False
    """Put the tokens of each text in an order drawn at random."""
    length: AtLeastOne | None = None
    """Give every text as many tokens, by cutting long ones and filling short ones with words drawn at random; left
    empty, the number of tokens shows.
    """
    decode: Literal["nearest", "likely"] = "likely"
    """For words: the word whose vector is nearest, or the word that is most likely, since it is known how much noise
    each word gets.
    """
    frequencies: str | None = None
    """For words: a public list of words, with counts or the most frequent first; left empty, the decoder takes all
    words for equally frequent.
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
    """How many of the most frequent words to know; left empty, all."""
    search: Search = "auto"
    """How neighbours are found: exact, annoy (approximate, tuned to recall), or auto (by number of words)."""
    recall: Recall = 0.95
    """Share of the true neighbours that annoy must find."""
    n_neighbours: ListLength = 10
    """Length of the neighbour lists that are compared, the word itself included."""
    adjacency: ListLength = 2
    """How many words of a list count as adjacent, the word itself included."""
    accept_weak_privacy: bool = False
    """Allow an epsilon above 10, which protects next to nothing."""
    shard_texts: AtLeastOne = 1000
    """How many texts make a part; doubled until there are at most 400 parts."""

    def check(self) -> None:
        """Refuse texts, an embedding or files that are not there, and parameters that do not go together."""
        self.check_texts()
        self.check_embedding(self.embedding)
        if self.frequencies is not None and (self.output, self.decode) != ("words", "likely"):
            raise InputError("frequencies are for output=words with decode=likely: leave them out")
        check_file(self.frequencies)
        check_file(self.subwords)

    def check_texts(self) -> None:
        """Refuse texts that are not there.

        Raises:
            InputError: if there is no such file.
            FormatError: if its suffix is not known.
        """
        check_file(self.texts)
        format_of(Path(self.texts))

    @property
    def terms(self) -> "EncodingTerms":
        """What becomes of each text."""
        from nadp.texts.files.encoding import EncodingTerms  # noqa: PLC0415 - slow to import

        return EncodingTerms(self.output, self.budget, self.over_budget, self.shuffle, self.length, self.decode)

    @property
    def splits(self) -> Tokenizer:
        """How texts are split."""
        return Tokenizer.of(self.language, self.tokenizer)


def encode_texts(given: Encode) -> str:
    """Hide every word of every text of a file, and write what comes out; return where it is.

    A run that died goes on where it was when it is repeated with the same parameters.

    Raises:
        InputError: if a text or a parameter is refused.
        FormatError: if a text cannot be read; the message tells where, not which.
    """
    from nadp.texts.files.output import encode_file  # noqa: PLC0415 - slow to import

    given.check()
    texts, out = Texts(_file(given.texts), given.text_column, given.id_column), Path(given.out).expanduser().absolute()
    counts = encode_file(
        texts,
        _encoder(given),
        out,
        terms=given.terms,
        frequencies=None if given.frequencies is None else _file(given.frequencies),
        shard_texts=given.shard_texts,
        max_unknown=given.max_unknown,
    )
    return f"texts in {out}; tokens, unknown ones and others are counted in {counts}, for the owner of the texts only"


def _encoder(given: Encode) -> "TextEncoder":
    from nadp.cli.reading import read, space_of  # noqa: PLC0415 - slow to import
    from nadp.texts import Subwords, TextEncoder  # noqa: PLC0415 - as above

    embeddings, _ = read(
        given.embedding, member=given.member, sha256=given.sha256, words=given.words, strict=given.strict
    )
    return TextEncoder.build(
        space_of(embeddings, given),
        epsilon=given.epsilon,
        delta=given.delta,
        mechanism=given.mechanism,
        unknown=given.unknown,
        subwords=None if given.subwords is None else Subwords.read(_file(given.subwords)),
        accept_weak_privacy=given.accept_weak_privacy,
        tokenizer=given.splits,
    )


def _file(path: str) -> Path:
    return Path(path).expanduser().absolute()
