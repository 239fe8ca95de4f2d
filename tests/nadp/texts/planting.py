"""Encoders with noise of a chosen law and size, so that what comes out can be told."""

import numpy as np

from nadp import Embeddings, TextEncoder
from nadp.mechanisms import Guarantee
from nadp.noise import GridNoise, MahalanobisNoise, law_named
from nadp.noise.grid import grid_of

FAMILIES = ["gaussian", "laplace", "mahalanobis"]
GAUSSIAN = Guarantee("gaussian", "(epsilon, delta)-DP", 2.0, 1e-6, mu=0.45, between="tokens")
PURE = Guarantee("laplacian", "epsilon-DP", 2.0, 0.0, between="tokens")
METRIC = Guarantee("mahalanobis", "metric DP", 2.0, 0.0, between="tokens")


def root_of(dimension, seed=0):
    """A symmetric, positive root of a covariance that is no multiple of the identity."""
    rng = np.random.default_rng(seed)
    basis, _ = np.linalg.qr(rng.normal(size=(dimension, dimension)))
    return (basis * rng.uniform(0.5, 2, dimension)) @ basis.T


def noise_of(family, scale, dimension):
    scale = np.asarray(scale, dtype=np.float64)
    law = MahalanobisNoise(root=root_of(dimension)) if family == "mahalanobis" else law_named(family)
    return GridNoise(law, scale, grid_of(scale / 2))


def planted(vectors, scale, family="gaussian", words=None, **others):
    """An encoder of words w0, w1, ... with the given scale of noise, one for all or one each."""
    vectors = np.asarray(vectors, dtype=np.float32)
    n, d = vectors.shape
    words = [f"w{i}" for i in range(n)] if words is None else words
    guarantee = {"gaussian": GAUSSIAN, "laplace": PURE, "mahalanobis": METRIC}[family]
    noise = noise_of(family, np.broadcast_to(scale, n), d)
    return TextEncoder(Embeddings(words, vectors), noise, guarantee, **others)


def text_of(encoder, rows):
    """The text whose tokens are the words of some rows."""
    return " ".join(encoder.words[np.asarray(rows, dtype=np.int64)].tolist())


def far_apart(n, dimension=4):
    """(n, d) vectors at distances of at least 1000."""
    vectors = np.zeros((n, dimension))
    vectors[:, 0] = 1000 * np.arange(n)
    return vectors


def rows_back(encoder, vectors):
    """The rows whose vectors are nearest to some vectors, by hand."""
    points = encoder.embeddings.vectors.astype(np.float64)
    return [int(((points - y) ** 2).sum(axis=1).argmin()) for y in np.asarray(vectors, dtype=np.float64)]
