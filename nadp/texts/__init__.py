"""Texts made private: fresh noise for every token, the promise for a whole text, and what decoding gets back."""

from nadp.texts.attacks import TokenRecovery, token_recovery
from nadp.texts.decoding import Decoder
from nadp.texts.encoded import EncodedTexts
from nadp.texts.encoder import TextEncoder
from nadp.texts.promise import Promise, TextBudget
from nadp.texts.subwords import Subwords

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
