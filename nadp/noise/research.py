"""Base draws for research: seeded, reproducible, unscaled. They are not for publication."""

import hashlib
from typing import Literal

import numpy as np
import numpy.typing as npt

from nadp.embeddings import Embeddings, Floats
from nadp.errors import InputError

NoiseFamily = Literal["gaussian", "laplace", "mahalanobis"]
_SINGULAR = 1e-10  # of the largest eigenvalue: rounding vectors to float32 makes up some 1e-13


def base_draw(
    family: NoiseFamily, embeddings: Embeddings, rng: np.random.Generator, regularisation: float = 1.0
) -> Floats:
    """Return one unscaled draw for all words of an embedding, (n, d) float32.

    Args:
        family: "gaussian": standard normal; "laplace": Laplace of scale 1; "mahalanobis": see mahalanobis_draw.
        embeddings: n words of d dimensions.
        rng: where the numbers come from.
        regularisation: lambda of the mahalanobis family.
    """
    n, d = embeddings.vectors.shape
    if family == "gaussian":
        return rng.standard_normal((n, d), dtype=np.float32)
    if family == "laplace":
        return rng.laplace(size=(n, d)).astype(np.float32)
    if family == "mahalanobis":
        return mahalanobis_draw(rng, n, mahalanobis_root(embeddings.covariance, regularisation))
    raise InputError(f"no such family of noise: {family!r}")


def mahalanobis_draw(rng: np.random.Generator, n: int, root: npt.NDArray[np.float64]) -> Floats:
    """Return n vectors Y root u with u uniform on the sphere and Y ~ Gamma(d, 1) (Xu et al. 2020), (n, d) float32."""
    d = len(root)
    direction = rng.standard_normal((n, d))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    return (rng.gamma(d, size=(n, 1)) * (direction @ root)).astype(np.float32)


def mahalanobis_root(covariance: npt.NDArray[np.float64], regularisation: float) -> npt.NDArray[np.float64]:
    """Return the symmetric root of lambda d / trace(C) C + (1 - lambda) I.

    Eigenvalues that rounding made negative are clipped.

    Args:
        covariance: (d, d) C.
        regularisation: lambda, 0 <= lambda <= 1; the paper uses 1.

    Raises:
        InputError: if the matrix is singular: some direction would get no noise at all.
    """
    if not (0 <= regularisation <= 1):
        raise InputError(f"lambda must lie between 0 and 1, not {regularisation!r}")
    d, trace = len(covariance), float(np.trace(covariance))
    scaled = covariance * (regularisation * d / trace) if trace > 0 else 0 * covariance
    values, vectors = np.linalg.eigh(scaled + (1 - regularisation) * np.eye(d))
    if values[0] <= values[-1] * _SINGULAR:
        raise InputError(
            "the covariance of the vectors is singular, so some direction would get no Mahalanobis noise: "
            "take lambda below 1, more words, or fewer dimensions"
        )
    return (vectors * np.sqrt(values.clip(min=0))) @ vectors.T


def mean_square(family: NoiseFamily, dimension: int) -> float:
    """Return the expected squared norm of one row of a base draw."""
    return {"gaussian": 1.0, "laplace": 2.0, "mahalanobis": dimension + 1.0}[family] * dimension


def research_rng(seed: int, purpose: str, repeat: int) -> np.random.Generator:
    """Return a generator whose stream depends on seed, purpose (a noise family, say) and repeat only."""
    key = int.from_bytes(hashlib.sha256(purpose.encode()).digest()[:4], "big")
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(key, repeat)))
