"""Attacks on encoded tokens by someone who knows the encoder: nearest word, likelihood, averaging."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import betaincinv

from nadp.embeddings import Floats, Ids
from nadp.errors import InputError
from nadp.runtime.parallel import for_blocks
from nadp.search.decoding import block_rows, nearest_points
from nadp.texts.encoder import TextEncoder
from nadp.texts.group_code import GroupModel
from nadp.texts.model import NoiseModel, model_of

_LEAST_PRIOR = 1e-300
_TAIL = 0.025


@dataclass(frozen=True)
class TokenRecovery:
    """Recovery by one attack on tokens.

    Attributes:
        attack: "nearest word", "most likely word", "most likely word, frequencies known", or "always the most frequent
            word", which ignores the encoding.
        repeats: number of encodings of each token that the attacker has and can link.
        recovered: share of tokens that the attack identifies.
        low: lower end of the 95 % interval of Clopper and Pearson.
        high: upper end.
        tokens: number of attacked tokens.
    """

    attack: str
    repeats: int
    recovered: float
    low: float
    high: float
    tokens: int


def token_recovery(
    encoder: TextEncoder, rows: Ids, repeats: int = 1, prior: npt.NDArray[np.float64] | None = None
) -> list[TokenRecovery]:
    """Return the recovery of each attack on some tokens, which are encoded for this purpose.

    With several encodings of one token, the attacker takes their mean, or the word that most likely produced them all.
    The cost of k encodings is their composed mu (or epsilon, if the noise is not Gaussian).

    Args:
        encoder: an encoder of n words.
        rows: (q,) the word of each token.
        repeats: number of encodings of each token.
        prior: (n,) word frequencies, up to a factor; adds an attack that knows them.

    Raises:
        InputError: if repeats is below 1.
    """
    if repeats < 1:
        raise InputError(f"repeats must be at least 1, not {repeats!r}")
    draws = [encoder.noise.added_to(encoder.embeddings.vectors, rows, np.ones(len(rows))) for _ in range(repeats)]
    points = encoder.embeddings.points
    truth = points.of_word[rows]
    mean: npt.NDArray[np.float64] = np.asarray(np.mean(draws, axis=0, dtype=np.float64))
    decoded_by_attack: dict[str, npt.NDArray[np.integer]] = {
        "nearest word": nearest_points(points.vectors, mean, 1)[:, 0]
    }
    offsets = [np.zeros(len(points))]
    if prior is not None:
        weights = np.bincount(points.of_word, weights=prior / prior.sum(), minlength=len(points))
        offsets.append(np.log(weights.clip(min=_LEAST_PRIOR)))
        decoded_by_attack["always the most frequent word"] = np.full(len(rows), weights.argmax())
    most_likely = _most_likely(model_of(encoder.noise, points), draws, offsets)
    decoded_by_attack |= zip(("most likely word", "most likely word, frequencies known"), most_likely, strict=False)
    return [
        _recovery(attack, repeats, int((decoded == truth).sum()), len(rows))
        for attack, decoded in decoded_by_attack.items()
    ]


def _most_likely(
    model: NoiseModel | GroupModel, draws: list[Floats], offsets: list[npt.NDArray[np.float64]]
) -> list[Ids]:
    """Return the most likely point of each token (q,) under each offset, from all its encodings together."""
    decoded_by_offset = [np.empty(len(draws[0]), dtype=np.int64) for _ in offsets]

    def work(block: slice) -> None:
        log_likelihoods = sum(model.log_likelihoods(draw[block], 1.0) for draw in draws)
        for decoded, offset in zip(decoded_by_offset, offsets, strict=True):
            decoded[block] = (log_likelihoods + offset).argmax(axis=1)

    for_blocks(work, len(draws[0]), block_rows(len(model.points)), "most likely words")
    return decoded_by_offset


def _recovery(attack: str, repeats: int, hits: int, tokens: int) -> TokenRecovery:
    low = float(betaincinv(hits, tokens - hits + 1, _TAIL)) if hits else 0.0
    high = float(betaincinv(hits + 1, tokens - hits, 1 - _TAIL)) if hits < tokens else 1.0
    return TokenRecovery(attack, repeats, hits / max(1, tokens), low, high, tokens)
