"""Private texts: fresh noise for every token, the guarantee of a whole text, and decoding."""

from nadp.texts.attacks import TokenRecovery, token_recovery
from nadp.texts.budget import TextBudget
from nadp.texts.decoding import Decoder
from nadp.texts.encoded import EncodedTexts
from nadp.texts.encoder import TextEncoder
from nadp.texts.grouping import group_encoder
from nadp.texts.subwords import Subwords

__all__ = [
    "Decoder",
    "EncodedTexts",
    "Subwords",
    "TextBudget",
    "TextEncoder",
    "TokenRecovery",
    "group_encoder",
    "token_recovery",
]
