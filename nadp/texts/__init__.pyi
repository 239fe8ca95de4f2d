from .attacks import TokenRecovery, token_recovery
from .budget import TextBudget
from .channels import GroupMechanism
from .decoding import Decoder
from .encoded import EncodedTexts
from .encoder import TextEncoder
from .grouping import group_encoder
from .subwords import Subwords

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
