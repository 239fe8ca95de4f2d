"""Unknown words from their parts: fastText's character n-grams give a vector, and the nearest known word is used.

The known word is encoded instead of the token, and the guarantee holds for it as for any other word. The replacement
depends on a single token and precedes the noise, so it does not affect other tokens.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from nadp.embeddings import Embeddings, Floats, Ids
from nadp.files.fasttext import read_ngrams
from nadp.search.decoding import nearest_points

_OFFSET, _PRIME = 2166136261, 16777619  # of the 32-bit FNV-1a hash
_32_BITS = 0xFFFFFFFF
_TOP_BIT = 0x80


@dataclass(frozen=True, eq=False)
class Subwords:
    """The vectors of character n-grams (Bojanowski et al. 2017).

    Attributes:
        vectors: (b, d) one vector for each hash bucket.
        shortest: length of the shortest n-grams, in characters.
        longest: length of the longest n-grams, in characters.
    """

    vectors: Floats
    shortest: int
    longest: int

    @classmethod
    def read(cls, path: str | Path) -> "Subwords":
        """Return the n-grams of a fastText model (.bin); see nadp.files.fasttext.read_ngrams.

        Raises:
            InputError: if the model has no n-grams, or was quantised or pruned.
            FormatError: if the file is not a fastText model, or is damaged.
        """
        return cls(*read_ngrams(Path(path)))

    def buckets(self, token: str) -> list[int]:
        """Return the bucket of each n-gram of a token, whose ends are marked with < and >."""
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
            tokens: q tokens.
        """
        parts = [self.buckets(token) for token in tokens]
        vectors = np.array(
            [self.vectors[buckets].mean(axis=0) if buckets else self.vectors[0] * 0 for buckets in parts]
        )
        points = embeddings.points
        rows = points.first_word[nearest_points(points.vectors, vectors, 1)[:, 0]]
        return np.where([bool(buckets) for buckets in parts], rows, -1)


def _fnv(text: str) -> int:
    """Return fastText's hash of a string: FNV-1a over bytes that are taken as signed."""
    value = _OFFSET
    for byte in text.encode(errors="surrogatepass"):  # an error would hold the token, which is private
        value ^= byte | 0xFFFFFF00 if byte & _TOP_BIT else byte
        value = (value * _PRIME) & _32_BITS
    return value
