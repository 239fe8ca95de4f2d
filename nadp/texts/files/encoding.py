"""Texts through an encoder, into what is published of them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from nadp.errors import InputError
from nadp.texts import Decoder, TextBudget, TextEncoder
from nadp.texts.files.records import Id
from nadp.texts.files.tables import Column, Output, batches, centroid_rows, near, vector_lists, word_lists


@dataclass(frozen=True)
class EncodingTerms:
    """What becomes of each text.

    Attributes:
        output: what is published: all vectors, their mean, or the words that they are taken for.
        budget: the most that all tokens of a text together may cost; None for no limit.
        over_budget: what becomes of a text that would cost more, see nadp.texts.TextBudget.
        shuffle: whether the tokens of a text come in an order drawn at random.
        length: how many tokens every text gets; None for as many as it has.
        decode: how words are found.
    """

    output: Output = "vectors"
    budget: float | None = None
    over_budget: Literal["spread", "refuse"] = "spread"
    shuffle: bool = False
    length: int | None = None
    decode: Literal["nearest", "likely"] = "likely"

    @property
    def limit(self) -> TextBudget | None:
        """What each text may cost."""
        return None if self.budget is None else TextBudget(self.budget, over=self.over_budget)


def check(encoder: TextEncoder, terms: EncodingTerms, texts: Iterable[tuple[Id, str]]) -> None:
    """Refuse what would be refused while it is encoded, before any noise is drawn.

    Raises:
        InputError: if a text has unknown tokens or costs too much, where that is refused; the message tells near which
            id.
    """
    if encoder.unknown == "error" or (terms.budget is not None and terms.over_budget == "refuse"):
        for batch in batches(texts):
            with near(batch):
                encoder.check([text for _, text in batch], budget=terms.limit, length=terms.length)


def column(encoder: TextEncoder, decoder: Decoder | None, terms: EncodingTerms, texts: Sequence[str]) -> Column:
    """Return what is published of some texts, with fresh noise.

    Args:
        encoder: gives the noise.
        decoder: for words.
        terms: what becomes of the texts.
        texts: n strings.

    Raises:
        InputError: if a text is refused, or words are to be published without a decoder.
    """
    found = encoder.encode(texts, budget=terms.limit, length=terms.length, shuffle=terms.shuffle)
    counts = Counter(
        tokens=int(found.lengths.sum()),
        unknown=int(found.unknown.sum()),
        cut=int(found.cut.sum()),
        spread=int((found.factors > 1).sum()),
    )
    if terms.output == "vectors":
        return Column(vector_lists(found.vectors, found.starts), counts)
    if terms.output == "centroids":
        return Column(centroid_rows(found.centroids()), counts)
    if decoder is None:
        raise InputError("words need a decoder")
    return Column(word_lists(decoder.words(found)), counts)
