"""From texts to words of an embedding: tokens, unknown words, length and order."""

import os
from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from nadp.embeddings import Embeddings, Ids
from nadp.errors import InputError
from nadp.release.uniform import random_words
from nadp.text import split

Unknown = Literal["drop", "error", "subword"]
Substitute = Callable[[list[str]], Ids]
"""Returns the row of a known word for each of some unknown tokens."""


def rows_of_texts(
    embeddings: Embeddings, texts: Sequence[str], unknown: Unknown, substitute: Substitute | None
) -> tuple[list[Ids], Ids]:
    """Return the rows of each text's tokens, and how many tokens of each were left out.

    A token is looked up as it is, then in lower case. What is not known is left out ("drop"), refused ("error"), or
    takes the place of a known word by its parts ("subword"); it never comes through as it is.

    Raises:
        InputError: for an unknown token where that is an error; the message does not repeat it, since it is private.
    """
    found: list[Ids] = []
    strange: list[str] = []
    for i, text in enumerate(texts):
        if not isinstance(text, str):
            raise InputError(f"text {i} is {type(text).__name__}, not a string")
        tokens = split(text)
        rows = embeddings.rows(tokens)
        missing = np.flatnonzero(rows < 0)
        if len(missing) and unknown == "error":
            raise InputError(
                f"text {i} has {len(missing)} of {len(tokens)} tokens that the embedding does not know, the first at "
                f"position {missing[0]}: choose unknown='drop', or a larger embedding"
            )
        if substitute is not None:
            strange += [tokens[j] for j in missing]
        found.append(rows)
    if substitute is not None and strange:
        _replace_unknown(found, strange, substitute)
    left_out = np.array([(rows < 0).sum() for rows in found], dtype=np.int64)
    return [rows[rows >= 0] for rows in found], left_out


def _replace_unknown(found: list[Ids], strange: list[str], substitute: Substitute) -> None:
    """Put rows of known words where there is none, asking once for each distinct token of all texts."""
    distinct = list(dict.fromkeys(strange))
    row_of = dict(zip(distinct, substitute(distinct).tolist(), strict=True))
    instead = iter(strange)
    for rows in found:
        for j in np.flatnonzero(rows < 0):
            rows[j] = row_of[next(instead)]


def of_length(rows: Ids, length: int, words: int) -> Ids:
    """Return just so many rows: the first ones, or all and words drawn at random, each of `words` alike."""
    wanted = max(0, length - len(rows))
    fillers = random_words(wanted, os.urandom) % np.uint64(words)  # off by less than 2^-40 from uniform
    return np.concatenate([rows[:length], fillers.astype(np.int64)])


def shuffled(rows: Ids) -> Ids:
    """Return rows in an order drawn from the operating system's randomness."""
    return rows[np.argsort(random_words(len(rows), os.urandom), kind="stable")]
