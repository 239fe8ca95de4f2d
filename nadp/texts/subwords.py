"""Unknown words by their parts: fastText's character n-grams give a vector, and its nearest known word is used.

The known word is encoded instead of the token, so the guarantee holds as for any other word: a function of a single
token, applied before the noise, does not affect other tokens.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from nadp.embeddings import Embeddings, Floats, Ids
from nadp.errors import FormatError, InputError
from nadp.runtime.optional import optional
from nadp.search.decoding import nearest_points

_OFFSET, _PRIME = 2166136261, 16777619  # of the 32-bit FNV-1a hash
_32_BITS = 0xFFFFFFFF
_TOP_BIT = 0x80


@dataclass(frozen=True, eq=False)
class Subwords:
    """The vectors of character n-grams (Bojanowski et al. 2017).

    Attributes:
        vectors: (b, d) one for each bucket of hashes.
        shortest: of the n-grams, in characters.
        longest: of the n-grams, in characters.
    """

    vectors: Floats
    shortest: int
    longest: int

    @classmethod
    def read(cls, path: str | Path) -> "Subwords":
        """Return the n-grams of a fastText model (.bin); needs gensim.

        Raises:
            InputError: if gensim is not installed, or the model has no n-grams.
            FormatError: if the file is not a fastText model.
        """
        with optional("flows", "a fastText model"):
            from gensim.models.fasttext import load_facebook_vectors  # noqa: PLC0415 - optional, slow to import
        try:
            found = load_facebook_vectors(str(path))
        except (OSError, MemoryError):  # not about the file's content
            raise
        except Exception as error:  # gensim has no error for a damaged file: what its parser raises depends on the byte
            raise FormatError(f"{path} is not a fastText model (.bin): {error}") from error
        if not found.bucket:
            raise InputError(f"{path} has no character n-grams: it was trained without them")
        return cls(np.asarray(found.vectors_ngrams, dtype=np.float32), int(found.min_n), int(found.max_n))

    def buckets(self, token: str) -> list[int]:
        """Return the bucket of each n-gram of a token, its ends marked by < and >."""
        text = f"<{token}>"
        spans = [
            (start, start + size)
            for start in range(len(text))
            for size in range(self.shortest, self.longest + 1)
            if start + size <= len(text) and not (size == 1 and start in (0, len(text) - 1))
        ]
        return [_fnv(text[start:end]) % len(self.vectors) for start, end in spans]

    def nearest_known(self, embeddings: Embeddings, tokens: list[str]) -> Ids:
        """Return the row of the known word whose vector is nearest to each token's, -1 for a token without n-grams.

        Args:
            embeddings: n words.
            tokens: q of them.
        """
        parts = [self.buckets(token) for token in tokens]
        made = np.array([self.vectors[found].mean(axis=0) if found else self.vectors[0] * 0 for found in parts])
        points = embeddings.points
        rows = points.first_word[nearest_points(points.vectors, made, 1)[:, 0]]
        return np.where([bool(found) for found in parts], rows, -1)


def _fnv(text: str) -> int:
    """Return fastText's hash of a string: FNV-1a over bytes that count as signed."""
    value = _OFFSET
    for byte in text.encode(errors="surrogatepass"):  # an error would hold the token, which is private
        value ^= byte | 0xFFFFFF00 if byte & _TOP_BIT else byte
        value = (value * _PRIME) & _32_BITS
    return value
