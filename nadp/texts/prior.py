"""How frequent the words of an encoder are, for a decoder that takes the more frequent word in doubt."""

from pathlib import Path

import numpy as np
import numpy.typing as npt

from nadp.embeddings import Words
from nadp.errors import InputError
from nadp.vocabulary import read_counts


def prior_of(path: str | Path, words: Words) -> npt.NDArray[np.float64]:
    """Return how frequent each word is by a list, up to a factor, (n,).

    The list must be public: a decoder that knows how frequent words are in the private texts tells something of them.

    Args:
        path: of the list, a word and its count on each line (see nadp.vocabulary.read_frequencies). Without counts a
            word counts as the inverse of its rank (Zipf's law). A word that is not listed counts as the rarest that is.
        words: (n,) of the encoder.

    Raises:
        InputError: if the file is missing, holds no words or none of these, or has a count below 0.
        FormatError: if a count is no number.
    """
    counts = read_counts(path)
    if not any(counts.values()):
        counts = {word: 1 / rank for rank, word in enumerate(counts, start=1)}
    if min(counts.values()) < 0:
        raise InputError(f"{path} has a count below 0")
    if not any(word in counts for word in words.tolist()):
        raise InputError(f"{path} holds none of the words of the embedding")
    least = min(count for count in counts.values() if count > 0)
    return np.array([max(counts.get(word, least), least) for word in words.tolist()])
