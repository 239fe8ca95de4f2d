"""Base draws for research: seeded, reproducible, unscaled. Not for publication."""

import hashlib

import numpy as np

from nadp.embeddings import Embeddings, Floats
from nadp.noise.law import NoiseLaw


def base_draw(law: NoiseLaw, embeddings: Embeddings, rng: np.random.Generator) -> Floats:
    """Return one unscaled draw for all words of an embedding, (n, d) float32.

    Args:
        law: law of the noise; it is fitted to the embedding.
        embeddings: n words of d dimensions.
        rng: source of the numbers.
    """
    return law.fitted(embeddings).draw(len(embeddings), embeddings.dimension, rng)


def research_rng(seed: int, purpose: str, repeat: int) -> np.random.Generator:
    """Return a generator whose stream depends only on seed, purpose (such as the key of a noise law) and repeat."""
    key = int.from_bytes(hashlib.sha256(purpose.encode()).digest()[:4], "big")
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(key, repeat)))
