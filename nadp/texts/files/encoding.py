"""Encoding texts into published columns."""

import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from nadp.choices import Output
from nadp.errors import InputError
from nadp.texts import Decoder, TextBudget, TextEncoder
from nadp.texts.files.records import Id
from nadp.texts.files.tables import Column, batches, centroid_rows, near, vector_lists, word_lists
from nadp.texts.words import unknown_tokens

_log = logging.getLogger(__name__)
_WARN_ABOVE = 0.5


@dataclass(frozen=True)
class EncodingTerms:
    """Treatment of each text.

    Attributes:
        output: the published output: all vectors, their mean, or the decoded words.
        budget: privacy budget of all tokens of a text together; None for no limit.
        over_budget: treatment of a text that exceeds the budget, see nadp.texts.TextBudget.
        shuffle: whether the tokens of a text are put in random order.
        length: number of tokens that every text gets; None to keep each text's number.
        decode: how words are decoded.
    """

    output: Output = "vectors"
    budget: float | None = None
    over_budget: Literal["spread", "refuse"] = "spread"
    shuffle: bool = False
    length: int | None = None
    decode: Literal["nearest", "likely", "random"] = "likely"

    @property
    def limit(self) -> TextBudget | None:
        """The budget of each text."""
        return None if self.budget is None else TextBudget(self.budget, over=self.over_budget)


def check(encoder: TextEncoder, terms: EncodingTerms, texts: Iterable[tuple[Id, str]]) -> None:
    """Refuse what encoding would refuse, before any noise is drawn.

    Raises:
        InputError: if a text has unknown tokens or exceeds the budget, and the terms refuse this; the message names a
            nearby id.
    """
    if encoder.unknown == "error" or (terms.budget is not None and terms.over_budget == "refuse"):
        for batch in batches(texts):
            with near(batch):
                encoder.check([text for _, text in batch], budget=terms.limit, length=terms.length)


def count_unknown(encoder: TextEncoder, texts: Iterable[tuple[Id, str]], most: float | None = None) -> None:
    """Warn about texts with too many unknown tokens, or refuse them, before any noise is drawn.

    The message states the limit, not the count, because the texts are private.

    Args:
        encoder: the encoder of the texts.
        texts: all texts, with their ids.
        most: the texts are refused if a larger share of tokens is unknown; None for only a warning, above one half.

    Raises:
        InputError: if the texts are refused.
    """
    limit = _WARN_ABOVE if most is None else most
    unknown = tokens = 0
    for batch in batches(texts):
        batch_unknown, batch_tokens = unknown_tokens(encoder.embeddings, [text for _, text in batch], encoder.tokenizer)
        unknown, tokens = unknown + batch_unknown, tokens + batch_tokens
    if unknown <= limit * tokens:
        return
    message = (
        f"more than {limit:.0%} of the tokens are unknown to the embedding: are the texts in another language or case, "
        "or without spaces? Name their language, a tokenizer, or another embedding"
    )
    if most is not None:
        raise InputError(f"{message}; nothing was published")
    _log.warning(message)


def column(encoder: TextEncoder, decoder: Decoder | None, terms: EncodingTerms, texts: Sequence[str]) -> Column:
    """Return the published column for some texts, with fresh noise.

    Args:
        encoder: source of the noise.
        decoder: decoder for output="words".
        terms: treatment of the texts.
        texts: n strings.

    Raises:
        InputError: if a text is refused, or words are to be published without a decoder.
    """
    encoded = encoder.encode(texts, budget=terms.limit, length=terms.length, shuffle=terms.shuffle)
    counts = Counter(
        tokens=int(encoded.lengths.sum()),
        unknown=int(encoded.unknown.sum()),
        cut=int(encoded.cut.sum()),
        spread=int((encoded.factors > 1).sum()),
    )
    if terms.output == "vectors":
        return Column(vector_lists(encoded.vectors, encoded.starts), counts)
    if terms.output == "centroids":
        return Column(centroid_rows(encoded.centroids()), counts)
    if decoder is None:
        raise InputError("output=words needs a decoder")
    return Column(word_lists(decoder.words(encoded)), counts)
