"""Private texts: fresh noise for every token, the guarantee of a whole text, and decoding."""

from typing import TYPE_CHECKING

from nadp.runtime.on_demand import on_demand

if TYPE_CHECKING:
    from nadp.texts.attacks import TokenRecovery, token_recovery
    from nadp.texts.budget import TextBudget
    from nadp.texts.channels import GroupMechanism
    from nadp.texts.decoding import Decoder
    from nadp.texts.encoded import EncodedTexts
    from nadp.texts.encoder import TextEncoder
    from nadp.texts.grouping import group_encoder
    from nadp.texts.subwords import Subwords

__all__ = [
    "Decoder",
    "EncodedTexts",
    "GroupMechanism",
    "Subwords",
    "TextBudget",
    "TextEncoder",
    "TokenRecovery",
    "group_encoder",
    "token_recovery",
]

if not TYPE_CHECKING:  # a type checker would take every name for known
    __getattr__, __dir__ = on_demand(
        __name__,
        {
            "nadp.texts.attacks": ("TokenRecovery", "token_recovery"),
            "nadp.texts.budget": ("TextBudget",),
            "nadp.texts.channels": ("GroupMechanism",),
            "nadp.texts.decoding": ("Decoder",),
            "nadp.texts.encoded": ("EncodedTexts",),
            "nadp.texts.encoder": ("TextEncoder",),
            "nadp.texts.grouping": ("group_encoder",),
            "nadp.texts.subwords": ("Subwords",),
        },
    )
