"""Texts become words of an embedding: tokens, unknown words, length and order."""

import os
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from nadp.choices import Unknown
from nadp.embeddings import Embeddings, Ids
from nadp.errors import InputError
from nadp.noise.uniform import fractions, random_words
from nadp.tokens import TREEBANK, Tokenizer

Substitute = Callable[[list[str]], Ids]
"""Returns the row of a known word for each unknown token."""


def rows_of_texts(
    embeddings: Embeddings,
    texts: Sequence[str],
    unknown: Unknown,
    substitute: Substitute | None,
    tokenizer: Tokenizer = TREEBANK,
) -> tuple[list[Ids], Ids]:
    """Return the rows of each text's tokens, and the number of tokens left out of each text.

    A token is looked up as it is, then composed, then in lower case. If an unknown token ends with a full stop, the
    stop becomes a token of its own; the tokenizer splits it off only at the end of a text. Unknown tokens are left out
    ("drop"), refused ("error"), or replaced by a known word with similar parts ("subword"). They are never output
    unchanged.

    Raises:
        InputError: if unknown is "error" and a token is unknown; the message omits the token, which is private.
    """
    rows_by_text: list[Ids] = []
    unknown_words: list[str] = []
    for i, text in enumerate(texts):
        if not isinstance(text, str):
            raise InputError(f"text {i} is {type(text).__name__}, not a string")
        tokens, rows = _looked_up(embeddings, tokenizer, text)
        missing = np.flatnonzero(rows < 0)
        if len(missing) and unknown == "error":
            raise InputError(
                f"text {i} has a token at position {missing[0]} that the embedding does not know, and unknown='error' "
                "allows none: choose unknown='drop', or a larger embedding"
            )
        if substitute is not None:
            unknown_words += [tokens[j] for j in missing]
        rows_by_text.append(rows)
    if substitute is not None and unknown_words:
        _replace_unknown(rows_by_text, unknown_words, substitute)
    left_out = np.array([(rows < 0).sum() for rows in rows_by_text], dtype=np.int64)
    return [rows[rows >= 0] for rows in rows_by_text], left_out


def unknown_tokens(embeddings: Embeddings, texts: Sequence[str], tokenizer: Tokenizer = TREEBANK) -> tuple[int, int]:
    """Return the number of unknown tokens in some texts, and the number of all tokens."""
    rows = [_looked_up(embeddings, tokenizer, text)[1] for text in texts]
    return sum(int((text_rows < 0).sum()) for text_rows in rows), sum(map(len, rows))


def _looked_up(embeddings: Embeddings, tokenizer: Tokenizer, text: str) -> tuple[list[str], Ids]:
    """Return the tokens of a text and the row of each, -1 for an unknown token."""
    tokens = tokenizer.split(text)
    rows = embeddings.rows(tokens)
    stopped = [j for j in np.flatnonzero(rows < 0) if len(tokens[j]) > 1 and tokens[j].endswith(".")]
    if not stopped:
        return tokens, rows
    for j in reversed(stopped):
        tokens[j : j + 1] = [tokens[j][:-1], "."]
    return tokens, embeddings.rows(tokens)


def _replace_unknown(rows_by_text: list[Ids], unknown_words: list[str], substitute: Substitute) -> None:
    """Fill in rows of known words for unknown tokens, with one look-up per distinct token."""
    distinct = list(dict.fromkeys(unknown_words))
    row_of = dict(zip(distinct, substitute(distinct).tolist(), strict=True))
    remaining = iter(unknown_words)
    for rows in rows_by_text:
        for j in np.flatnonzero(rows < 0):
            rows[j] = row_of[next(remaining)]


def of_length(rows: Ids, length: int, words: int) -> Ids:
    """Return exactly `length` rows: the first rows of a longer text, or all rows and further words by Zipf's law.

    Args:
        rows: rows of a text's words.
        length: number of rows.
        words: number of words to draw from, the most frequent first.
    """
    padding = max(0, length - len(rows))
    return np.concatenate([rows[:length], _by_zipf(padding, words)]) if padding else rows[:length]


def _by_zipf(count: int, words: int) -> Ids:
    """Return rows drawn with the operating system's randomness, row i with probability proportional to 1/(i + 1)."""
    limits = _zipf(words)
    return (
        np.searchsorted(limits, fractions(count, os.urandom) * limits[-1], side="right")
        .clip(max=words - 1)
        .astype(np.int64)
    )


@lru_cache(maxsize=4)
def _zipf(words: int) -> npt.NDArray[np.float64]:
    return np.cumsum(1 / np.arange(1, words + 1))


def shuffled(rows: Ids) -> Ids:
    """Return rows in random order, drawn with the operating system's randomness."""
    return rows[np.argsort(random_words(len(rows), os.urandom), kind="stable")]
