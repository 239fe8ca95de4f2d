"""The encoder: it turns each token of a text into a vector with fresh noise."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from nadp.choices import Unknown
from nadp.embeddings import Embeddings, Ids, Words
from nadp.errors import BudgetError, FormatError, InputError, one_of
from nadp.mechanisms import MECHANISMS, Additive, Guarantee, Mechanism, additive, named
from nadp.noise import GridNoise
from nadp.runtime.versions import versions
from nadp.space import EmbeddingSpace
from nadp.texts.budget import TextBudget
from nadp.texts.channels import GroupMechanism
from nadp.texts.encoded import EncodedTexts
from nadp.texts.group_code import GroupCode
from nadp.texts.saved import read_encoder, write_encoder
from nadp.texts.subwords import Subwords
from nadp.texts.words import of_length, rows_of_texts, shuffled
from nadp.tokens import TREEBANK, Tokenizer

_FORMAT = 2  # version of a saved encoder's format


class _Placed(NamedTuple):
    """The rows of each text's tokens, and the counts for `EncodedTexts`."""

    rows: list[Ids]
    unknown: Ids
    cut: Ids
    factors: npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TextEncoder:
    """An encoder of texts. It holds only public data: no text, no noise, no seed.

    Attributes:
        embeddings: the n known words.
        noise: the noise of each word's tokens, or the groups whose centroids replace the tokens.
        guarantee: the privacy guarantee of one token; see Guarantee.of_tokens for several.
        unknown: treatment of tokens that the embedding lacks.
        subwords: n-grams that replace unknown tokens with known words; None if there are none.
        record: mechanism, graph and versions, for readers.
        tokenizer: how texts are split.
    """

    embeddings: Embeddings
    noise: GridNoise | GroupCode
    guarantee: Guarantee
    unknown: Unknown = "drop"
    subwords: Subwords | None = None
    record: dict[str, Any] = field(default_factory=dict)
    tokenizer: Tokenizer = TREEBANK

    def __post_init__(self) -> None:
        if len(self.noise) != len(self.embeddings):
            raise InputError(f"{len(self.noise)} scales of noise do not fit {len(self.embeddings)} words")

    @classmethod
    def build(  # noqa: PLR0913 - the terms of an encoder
        cls,
        space: EmbeddingSpace,
        *,
        epsilon: float,
        delta: float | None = None,
        mechanism: Mechanism | str = "nadp",
        unknown: Unknown = "drop",
        subwords: Subwords | None = None,
        accept_weak_privacy: bool = False,
        tokenizer: Tokenizer = TREEBANK,
    ) -> "TextEncoder":
        """Return an encoder for the words of a space.

        Args:
            space: n words and their neighbourhoods; words that its policy drops count as unknown.
            epsilon: privacy budget of one token; for mahalanobis, per unit of Mahalanobis distance.
            delta: probability of failure for one token; default min(1e-6, 0.1 / number of words), 0 for Laplace noise.
            mechanism: an encodable mechanism: "nadp", "gaussian", "laplacian" or "mahalanobis", or an instance.
            unknown: "drop" leaves unknown tokens out and counts them, "error" refuses them, "subword" encodes the known
                word nearest to their n-grams.
            subwords: n-grams for unknown="subword".
            accept_weak_privacy: accept an epsilon above 10, which gives almost no protection. Mahalanobis has no such
                limit, because its epsilon has another unit.
            tokenizer: how texts are split; default the English tokenizer.

        Raises:
            RefusedError: if some word would get no noise (isolated="exact"), neighbours would get different noise
                scales, or epsilon is too large.
            InputError: if a parameter is out of range.
        """
        check_unknown(unknown, subwords, space.embeddings.dimension)
        chosen = named(mechanism) if isinstance(mechanism, str) else mechanism
        if not 0 < epsilon < np.inf:
            raise InputError(f"epsilon must be above 0 and finite, not {epsilon!r}")
        if not chosen.encodable or not isinstance(chosen, Additive):
            encodable = ", ".join(
                n
                for n, mechanism_class in MECHANISMS.items()
                if mechanism_class.encodable and issubclass(mechanism_class, Additive)
            )
            raise InputError(f"texts are encoded with {encodable}, not {str(chosen)!r}")
        publication = chosen.publication(
            space, epsilon, delta, between="tokens", accept_weak_privacy=accept_weak_privacy
        )
        rows = np.flatnonzero(space.released)
        released_embeddings, noise = space.embeddings.subset(rows), publication.of_rows(rows)
        graph = space.neighbouring if chosen.uses_graph else {}
        record = {
            "mechanism": str(chosen),
            "neighbouring": graph,
            "versions": versions("nadp", "numpy", "scipy", "nltk"),
        }
        return cls(released_embeddings, noise, publication.guarantee, unknown, subwords, record, tokenizer)

    def __len__(self) -> int:
        return len(self.embeddings)

    @property
    def words(self) -> Words:
        """(n,) the known words."""
        return self.embeddings.words

    @property
    def dimension(self) -> int:
        """Number of components of a vector, d."""
        return self.embeddings.dimension

    def encode(
        self,
        texts: Sequence[str],
        *,
        budget: TextBudget | None = None,
        length: int | None = None,
        shuffle: bool = False,
    ) -> EncodedTexts:
        """Return a noisy vector for each token of some texts. Every call draws fresh noise, so two calls cost twice.

        Args:
            texts: n strings.
            budget: privacy budget of all tokens of a text together; default no limit.
            length: give every text exactly this many tokens. Longer texts are cut. Shorter ones are filled with words
                drawn by Zipf's law; an attacker can still partly distinguish these by likelihood and, unless shuffled,
                by position. Default: keep the number of tokens, which reveals it.
            shuffle: put the tokens of each text in random order.

        Raises:
            InputError: if an item is not a string, or a token is unknown and unknown is "error".
            BudgetError: if a text would exceed the budget, and the budget refuses this.
        """
        placed = self._placed(texts, budget, length)
        rows = [shuffled(text_rows) for text_rows in placed.rows] if shuffle else placed.rows
        lengths = np.array([len(text_rows) for text_rows in rows], dtype=np.int64)
        all_rows = np.concatenate([*rows, np.empty(0, dtype=np.int64)])
        vectors = self.noise.added_to(self.embeddings.vectors, all_rows, np.repeat(placed.factors, lengths))
        starts = np.concatenate([[0], np.cumsum(lengths)])
        return EncodedTexts(vectors, starts, placed.factors, placed.unknown, placed.cut, self.noise.grid)

    def check(self, texts: Sequence[str], *, budget: TextBudget | None = None, length: int | None = None) -> None:
        """Refuse what `encode` would refuse, before any noise is drawn.

        Raises:
            InputError: as `encode` does.
            BudgetError: as `encode` does.
        """
        self._placed(texts, budget, length)

    def _placed(self, texts: Sequence[str], budget: TextBudget | None, length: int | None) -> "_Placed":
        """Return the words of some texts, and their noise factors."""
        if isinstance(texts, str):
            raise InputError("texts must be a list of strings, not one string: give [text]")
        if length is not None and length < 1:
            raise InputError(f"length must be at least 1, not {length!r}")
        instead = None if self.subwords is None else partial(self.subwords.nearest_known, self.embeddings)
        rows, unknown = rows_of_texts(self.embeddings, texts, self.unknown, instead, self.tokenizer)
        cut = np.array([0 if length is None else max(0, len(text_rows) - length) for text_rows in rows], dtype=np.int64)
        if length is not None:
            rows = [of_length(text_rows, length, len(self)) for text_rows in rows]
        factors = np.array(
            [self._factor(i, len(text_rows), budget) for i, text_rows in enumerate(rows)], dtype=np.float64
        )
        return _Placed(rows, unknown, cut, factors)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the whole encoder."""
        digest = hashlib.sha256(json.dumps(self.terms(), sort_keys=True).encode() + b"\0")
        digest.update(json.dumps(self.words.tolist()).encode() + b"\0")
        for name, array in sorted(self.arrays().items()):
            digest.update(f"{name} {array.dtype.str} {array.shape}".encode() + b"\0")
            digest.update(np.ascontiguousarray(array).data)
        return digest.hexdigest()

    def terms(self) -> dict[str, Any]:
        """Return everything except words and arrays, as plain JSON values."""
        terms: dict[str, Any] = {
            "format": _FORMAT,
            "grid": self.noise.grid,
            "unknown": self.unknown,
            "record": self.record,
        }
        if isinstance(self.noise, GroupCode):
            terms["between"] = self.noise.between and asdict(self.noise.between)
        if self.subwords is not None:
            terms |= {"shortest": self.subwords.shortest, "longest": self.subwords.longest}
        return terms | {"tokenizer": asdict(self.tokenizer), "guarantee": asdict(self.guarantee)}

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the encoder's arrays by name."""
        arrays: dict[str, npt.NDArray[Any]] = {"vectors": self.embeddings.vectors, **self.noise.arrays()}
        if self.subwords is not None:
            arrays["subwords"] = self.subwords.vectors
        return arrays

    def save(self, path: str | Path) -> None:
        """Write the encoder atomically to one safetensors file.

        Raises:
            InputError: if safetensors is not installed.
        """
        terms = self.terms() | {"fingerprint": self.fingerprint}
        write_encoder(Path(path), self.words.tolist(), terms, self.arrays())

    @classmethod
    def load(cls, path: str | Path) -> "TextEncoder":
        """Return the encoder in a file that `save` wrote.

        Raises:
            InputError: if safetensors is not installed.
            FormatError: if the file is not an encoder, or has changed since it was written.
        """
        words, terms, arrays = read_encoder(Path(path))
        try:
            loaded = cls._of(words, terms, arrays)
            intact = loaded.fingerprint == terms["fingerprint"]
        except (KeyError, TypeError, ValueError) as error:
            raise FormatError(f"{path} is not an encoder of this version: {error}") from error
        if not intact:
            raise FormatError(f"{path} was changed since it was written: its content does not match its fingerprint")
        return loaded

    @classmethod
    def _of(cls, words: list[str], terms: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> "TextEncoder":
        if not isinstance(terms, dict):
            raise FormatError("its terms are not a JSON object")
        format_ = terms.get("format", 1)
        if format_ != _FORMAT:
            raise FormatError(f"it has format {format_!r}, this version reads {_FORMAT}: build the encoder again")
        guarantee = Guarantee(**terms["guarantee"])
        noise: GridNoise | GroupCode
        if guarantee.kind == "groups":
            between = None if terms["between"] is None else GroupMechanism(**terms["between"])
            noise = GroupCode(arrays["labels"], arrays["centroids"], arrays["weights"], between)
        else:
            law = additive(guarantee.mechanism).noise.restored(arrays)
            noise = GridNoise(law, arrays["scale"], terms["grid"])
        subwords = None
        if "subwords" in arrays:
            subwords = Subwords(arrays["subwords"], terms["shortest"], terms["longest"])
        tokenizer, embeddings = Tokenizer(**terms["tokenizer"]), Embeddings(words, arrays["vectors"])
        return cls(embeddings, noise, guarantee, terms["unknown"], subwords, terms["record"], tokenizer)

    def _factor(self, text: int, tokens: int, budget: TextBudget | None) -> float:
        """Return the noise factor of a text's tokens."""
        if budget is None or tokens == 0:
            return 1.0
        if isinstance(self.noise, GroupCode):
            raise InputError("a budget is for noise, not for groups: leave it out")
        factor = budget.factor(self.guarantee, tokens)
        if factor > 1 and budget.over == "refuse":
            epsilon, _ = self.guarantee.of_tokens(tokens, budget.delta)
            raise BudgetError(
                f"text {text} has {tokens} tokens, which together cost an epsilon of {epsilon:.4g}, more than the "
                f"budget of {budget.epsilon:g}: at most {budget.tokens_within(self.guarantee)} tokens keep it; choose "
                "a smaller epsilon or length, or over='spread'"
            )
        return factor


def check_unknown(unknown: Unknown, subwords: Subwords | None, dimension: int) -> None:
    """Refuse an impossible treatment of unknown tokens."""
    if unknown not in get_args(Unknown):
        raise InputError(f"unknown {one_of(unknown, get_args(Unknown))}")
    if (unknown == "subword") != (subwords is not None):
        raise InputError("unknown='subword' and a fastText model (subwords) need each other: give both, or neither")
    if subwords is not None and subwords.vectors.shape[1] != dimension:
        raise InputError(f"n-grams of {subwords.vectors.shape[1]} dimensions do not fit words of {dimension}")
