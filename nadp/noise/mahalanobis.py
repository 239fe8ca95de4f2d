"""Elliptical noise along the covariance of an embedding (Xu et al. 2020)."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from nadp.embeddings import Embeddings, Floats
from nadp.errors import InputError
from nadp.noise.exponential import standard_gamma
from nadp.noise.law import Floats64, NoiseLaw
from nadp.noise.normal import standard_normal
from nadp.noise.uniform import Bytes

_SINGULAR = 1e-10  # of the largest eigenvalue: rounding vectors to float32 adds some 1e-13


@dataclass(frozen=True)
class MahalanobisNoise(NoiseLaw):
    """Gamma(d, scale) times root u, where u is uniform on the sphere and root is the regularised covariance's root.

    Args:
        regularisation: lambda, 0 <= lambda <= 1; the paper uses 1. Below 1 a singular covariance is allowed.
        root: (d, d) of the embedding, set by `fitted`.
    """

    regularisation: float = 1.0
    root: npt.NDArray[np.float64] | None = field(default=None, compare=False, repr=False)
    name: ClassVar[str] = "mahalanobis"
    order: ClassVar[int] = 2
    exponent: ClassVar[int] = 1

    def __post_init__(self) -> None:
        if not (0 <= self.regularisation <= 1):
            raise InputError(f"regularisation (lambda) must lie between 0 and 1, not {self.regularisation!r}")

    @property
    def key(self) -> str:
        """Name, and lambda unless it is 1."""
        return self.name if self.regularisation == 1 else f"{self.name}({self.regularisation:g})"

    def fitted(self, embeddings: Embeddings) -> Self:
        """Return the law with the root of an embedding's regularised covariance.

        Raises:
            InputError: if the matrix is singular: some direction would get no noise at all.
        """
        return replace(self, root=mahalanobis_root(embeddings.covariance, self.regularisation))

    def draw(self, n: int, d: int, rng: np.random.Generator) -> Floats:
        """Return Gamma(d, 1) root u, (n, d) float32."""
        direction = rng.standard_normal((n, d))
        direction /= np.linalg.norm(direction, axis=1, keepdims=True)
        return (rng.gamma(d, size=(n, 1)) * (direction @ self._root)).astype(np.float32)

    def standard(self, n: int, d: int, random_bytes: Bytes) -> Floats64:
        """Return Gamma(d, 1) root u, (n, d)."""
        normal = standard_normal(n * d, random_bytes).reshape(n, d)
        normal *= (standard_gamma(d, n, random_bytes) / np.linalg.norm(normal, axis=1))[:, None]
        return normal @ self._root

    def mean_square(self, d: int) -> float:
        """Return d (d + 1): the trace of the regularised covariance is d."""
        return (d + 1.0) * d

    def standardised(self, noise: Floats64, scale: Floats64) -> tuple[Floats64, Any]:
        """Return the whitened lengths, and the Gamma law."""
        from scipy.stats import gamma  # noqa: PLC0415 - slow to import, and needed by audits only

        return np.linalg.norm(noise, axis=1) / scale, gamma(noise.shape[1])

    def whitened(self, vectors: npt.NDArray[np.floating]) -> Floats64:
        """Return root^-1 x of each vector, (q, d)."""
        return np.linalg.solve(self._root, vectors.T.astype(np.float64)).T.astype(np.float64)

    def narrowest(self, scale: Floats64) -> Floats64:
        """Return the scale along the shortest axis, (n,)."""
        return scale * float(np.linalg.eigvalsh(self._root)[0])

    def arrays(self) -> dict[str, npt.NDArray[np.float64]]:
        """Return the root."""
        return {"root": self._root}

    def restored(self, arrays: Mapping[str, npt.NDArray[np.float64]]) -> Self:
        """Return the law with its root.

        Raises:
            InputError: if the root is missing.
        """
        if "root" not in arrays:
            raise InputError("the saved Mahalanobis noise lacks the root of its covariance")
        return replace(self, root=arrays["root"])

    @property
    def _root(self) -> npt.NDArray[np.float64]:
        if self.root is None:
            raise InputError("Mahalanobis noise needs the covariance of an embedding: call fitted(embeddings) first")
        return self.root


def mahalanobis_root(covariance: npt.NDArray[np.float64], regularisation: float) -> npt.NDArray[np.float64]:
    """Return the symmetric root of lambda d / trace(C) C + (1 - lambda) I.

    Eigenvalues that rounding made negative are clipped.

    Args:
        covariance: (d, d) C.
        regularisation: lambda, 0 <= lambda <= 1; the paper uses 1.

    Raises:
        InputError: if the matrix is singular: some direction would get no noise at all.
    """
    d, trace = len(covariance), float(np.trace(covariance))
    scaled = covariance * (regularisation * d / trace) if trace > 0 else 0 * covariance
    values, vectors = np.linalg.eigh(scaled + (1 - regularisation) * np.eye(d))
    if values[0] <= values[-1] * _SINGULAR:
        raise InputError(
            "the covariance of the vectors is singular, so some direction would get no Mahalanobis noise: "
            "choose a regularisation (lambda) below 1, more words, or fewer dimensions"
        )
    return (vectors * np.sqrt(values.clip(min=0))) @ vectors.T
