"""Any number of vectors from real ones: jittered copies of each real vector, so that the space keeps its clusters."""

from pathlib import Path

import numpy as np

from nadp import Embeddings, read_embeddings

_JITTER = 0.5  # of the standard deviation of each component: copies are neighbours, not twins


def grown(path: Path, words: int, seed: int = 0) -> Embeddings:
    """Return an embedding with a given number of words: the words of a file, then jittered copies of them.

    Args:
        path: of a real embedding.
        words: their number.
        seed: of the jitter.
    """
    real = read_embeddings(path, limit=words)
    copies = -(-words // len(real))
    rng = np.random.default_rng(seed)
    spread = _JITTER * real.vectors.std(axis=0)
    jitters = (rng.standard_normal(real.vectors.shape, dtype=np.float32) for _ in range(copies - 1))
    parts = [real.vectors, *(real.vectors + spread * jitter for jitter in jitters)]
    names = [f"{word}#{i}" if i else word for i in range(copies) for word in real.words.tolist()]
    return Embeddings(names[:words], np.concatenate(parts)[:words].astype(np.float32))
