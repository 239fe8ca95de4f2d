"""Texts made private: fresh noise for every token, the promise for a whole text, and what decoding gets back."""

from nadp.encoding.attacks import TokenRecovery, token_recovery
from nadp.encoding.decoding import Decoder
from nadp.encoding.encoded import EncodedTexts
from nadp.encoding.encoder import TextEncoder
from nadp.encoding.promise import Promise, TextBudget
from nadp.encoding.subwords import Subwords

__all__ = [
    "Decoder",
    "EncodedTexts",
    "Promise",
    "Subwords",
    "TextBudget",
    "TextEncoder",
    "TokenRecovery",
    "token_recovery",
]
