"""What an attacker gets of encoded tokens who knows the encoder: by the nearest word, by likelihood, by averaging."""

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
    """How many tokens one attack identifies.

    Attributes:
        attack: "nearest word", "most likely word", "most likely word, frequencies known", or "always the most frequent
            word", which needs no encoding at all.
        repeats: how many encodings of each token the attacker has, and knows to be of one token.
        recovered: share of the tokens.
        low: the least share that the sample leaves possible, with high the 95 % interval of Clopper and Pearson.
        high: the largest.
        tokens: how many were attacked.
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
    """Return what attackers get of some tokens, encoded anew for the purpose.

    The attacker who has several encodings of one token takes their mean, or the word that is most likely to have given
    all of them: k encodings cost as much as one with mu (or epsilon, where the noise is not Gaussian) of k.

    Args:
        encoder: n words.
        rows: (q,) the word of each token.
        repeats: how many times each is encoded.
        prior: (n,) how frequent each word is, up to a factor; adds an attack that knows it.

    Raises:
        InputError: if repeats is below 1.
    """
    if repeats < 1:
        raise InputError(f"a token is encoded at least once, not {repeats!r} times")
    draws = [encoder.noise.added_to(encoder.embeddings.vectors, rows, np.ones(len(rows))) for _ in range(repeats)]
    points = encoder.embeddings.points
    truth = points.of_word[rows]
    mean: npt.NDArray[np.float64] = np.asarray(np.mean(draws, axis=0, dtype=np.float64))
    found: dict[str, npt.NDArray[np.integer]] = {"nearest word": nearest_points(points.vectors, mean, 1)[:, 0]}
    offsets = [np.zeros(len(points))]
    if prior is not None:
        weights = np.bincount(points.of_word, weights=prior / prior.sum(), minlength=len(points))
        offsets.append(np.log(weights.clip(min=_LEAST_PRIOR)))
        found["always the most frequent word"] = np.full(len(rows), weights.argmax())
    likely = _most_likely(model_of(encoder.noise, points), draws, offsets)
    found |= zip(("most likely word", "most likely word, frequencies known"), likely, strict=False)
    return [_recovery(attack, repeats, int((taken == truth).sum()), len(rows)) for attack, taken in found.items()]


def _most_likely(
    model: NoiseModel | GroupModel, draws: list[Floats], offsets: list[npt.NDArray[np.float64]]
) -> list[Ids]:
    """Return the most likely point of each token (q,) under each offset, from all its encodings together."""
    found = [np.empty(len(draws[0]), dtype=np.int64) for _ in offsets]

    def work(block: slice) -> None:
        together = sum(model.log_likelihoods(draw[block], 1.0) for draw in draws)
        for taken, offset in zip(found, offsets, strict=True):
            taken[block] = (together + offset).argmax(axis=1)

    for_blocks(work, len(draws[0]), block_rows(len(model.points)), "most likely words")
    return found


def _recovery(attack: str, repeats: int, hits: int, tokens: int) -> TokenRecovery:
    low = float(betaincinv(hits, tokens - hits + 1, _TAIL)) if hits else 0.0
    high = float(betaincinv(hits + 1, tokens - hits, 1 - _TAIL)) if hits < tokens else 1.0
    return TokenRecovery(attack, repeats, hits / max(1, tokens), low, high, tokens)
