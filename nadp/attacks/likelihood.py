"""The likelihood attack: an attacker who knows each word's noise scale guesses the most likely word, not the nearest.

With N(0, sigma_j^2 I) added to word j, the likelihood of y is proportional to
sigma_j^-d exp(-|y - x_j|^2 / (2 sigma_j^2)). A word without noise is identified if its vector equals y. Laplace
noise has exp(-|y - x_j|_1 / b), Mahalanobis noise exp(-epsilon |y - x_j|) in whitened coordinates (nadp.noise.law).
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from nadp.embeddings import Floats, Ids
from nadp.noise import NoiseLaw
from nadp.runtime.parallel import for_blocks
from nadp.search.kernels import keep_smallest, squared_distances, squared_distances_to_all, sums_of_differences
from nadp.search.tiles import ROWS, nothing_yet, tiles

_CANDIDATES = 16
_FEW = 32  # rows per block if scores are read many times: the scores of 10,000 points then stay in the cache
_UNIT = 2.0**-24  # unit roundoff of float32
_LARGEST_WEIGHT = 1e30


def likeliest(
    law: NoiseLaw,
    points: npt.NDArray[np.floating],
    scale: npt.NDArray[np.float64],
    noisy: npt.NDArray[np.floating],
    *priors: npt.NDArray[np.float64],
) -> npt.NDArray[np.int64]:
    """Return the most likely point of each noisy vector under a law, (1 + priors, q); -1 if no point is possible.

    The first row uses a uniform prior; the others use the given priors.

    Args:
        law: law of the noise. If it is not Gaussian, all points must have the same scale.
        points: (p, d) the possible vectors, whitened.
        scale: (p,) noise scale of each point.
        noisy: (q, d) released vectors, whitened.
        priors: (p,) probability of each point.
    """
    if law.exponent == 2:
        return most_likely(points.astype(np.float32, copy=False), scale, noisy, *priors)
    common = float(scale.max())
    return np.array([most_likely_by_norm(points, noisy, common, law.order, prior) for prior in (None, *priors)])


def most_likely(
    points: Floats,
    scale: npt.NDArray[np.float64],
    noisy: npt.NDArray[np.floating],
    *priors: npt.NDArray[np.float64],
) -> npt.NDArray[np.int64]:
    """Return the most likely point of each noisy vector, (1 + priors, q); -1 if no point is possible.

    The first row uses a uniform prior; the others use the given priors.

    Args:
        points: (p, d) the possible vectors.
        scale: (p,) standard deviation of the noise of each point; 0 for none.
        noisy: (q, d) released vectors.
        priors: (p,) probability of each point.
    """
    without_noise = scale == 0
    decoded = np.full((1 + len(priors), len(noisy)), -1, dtype=np.int64)
    if not without_noise.all():
        likelihood = _Likelihood(points, scale, priors)

        def work(block: slice) -> None:
            decoded[:, block] = likelihood.best(noisy[block].astype(np.float64))

        for_blocks(work, len(noisy), ROWS, "likelihood")
    for decoded_row in decoded:
        _recognise(points, np.flatnonzero(without_noise), noisy, decoded_row)
    return decoded


def recovered(
    points: Floats,
    scale: npt.NDArray[np.float64],
    noisy: npt.NDArray[np.floating],
    truth: Ids,
) -> npt.NDArray[np.bool_]:
    """Return for which noisy vectors the most likely point is the true one, (q,), as `most_likely` decides it.

    A vector is given up as soon as some point is certainly more likely than the true one. With much noise, that takes
    few points.

    Args:
        points: (p, d) the possible vectors.
        scale: (p,) standard deviation of the noise of each point; 0 for none.
        noisy: (q, d) released vectors.
        truth: (q,) the true points.
    """
    open_rows = np.ones(len(noisy), dtype=bool)
    if (scale > 0).any():
        likelihood = _Likelihood(points, scale, ())

        def work(block: slice) -> None:
            open_rows[block] = likelihood.not_exceeded(noisy[block].astype(np.float64), truth[block])

        for_blocks(work, len(noisy), ROWS, "likelihood of the true words")
    found = np.zeros(len(noisy), dtype=bool)
    found[open_rows] = most_likely(points, scale, noisy[open_rows])[0] == truth[open_rows]
    return found


class _Likelihood:
    """Finds the minimum of |y - x_j|^2 w_j + o_j over the points j, under several offsets o.

    Lower bounds from float32 products choose sixteen candidates, and float64 differences decide among them. If the best
    candidate is not below the bounds of all other points, all points are compared in float64.
    """

    def __init__(
        self, points: Floats, scale: npt.NDArray[np.float64], priors: Sequence[npt.NDArray[np.float64]]
    ) -> None:
        without_noise = scale == 0
        positive_scale = np.where(without_noise, 1.0, scale)
        log_normaliser = points.shape[1] * np.log(positive_scale)
        finite_offsets = [log_normaliser, *(log_normaliser - np.log(prior) for prior in priors)]
        self.points, self.weight = points, 1 / (2 * positive_scale**2)
        self.offsets = [np.where(without_noise, np.inf, offset) for offset in finite_offsets]
        # A float32 product x y of d terms errs by at most about d units of |x| |y| <= (|x|^2 + |y|^2) / 2, and counts
        # twice. 16 more units cover the casts and sums. So squared norms times this factor give a lower bound on the
        # distance.
        self._rounding_factor = 1 - 2 * (points.shape[1] + 16) * _UNIT
        squares = np.einsum("ij,ij->i", points, points, dtype=np.float64)
        self._low_squares = (squares * self._rounding_factor).astype(np.float32)
        self._low_weight = self.weight.clip(max=_LARGEST_WEIGHT).astype(np.float32)
        self._high_squares = (squares * (2 - self._rounding_factor)).astype(np.float32)
        self._high_weight = (self.weight * (1 + 4 * _UNIT)).clip(max=_LARGEST_WEIGHT).astype(np.float32)
        high_offset = self.offsets[0] + 32 * _UNIT * np.abs(self.offsets[0])
        self._high_offset = np.where(self.weight < _LARGEST_WEIGHT, high_offset, np.inf).astype(np.float32)
        self._low_offsets = [
            np.where(without_noise, np.inf, o - 32 * _UNIT * np.abs(o)).astype(np.float32) for o in finite_offsets
        ]

    def best(self, y: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
        """Return the best point of each vector (q, d) under each offset, (offsets, q)."""
        count = min(_CANDIDATES, len(self.points))
        best_by_offset = [nothing_yet(len(y), count) for _ in self.offsets]
        y_float32 = y.astype(np.float32)
        squared_norms = (np.einsum("ij,ij->i", y, y) * self._rounding_factor).astype(np.float32)[:, None]
        for tile in tiles(len(self.points)):
            lower_bounds = y_float32 @ self.points[tile].T
            lower_bounds *= -2
            lower_bounds += squared_norms
            lower_bounds += self._low_squares[tile]
            lower_bounds *= self._low_weight[tile]
            for (candidates, best), offset in zip(best_by_offset, self._low_offsets, strict=True):
                keep_smallest(lower_bounds + offset[tile], tile.start, np.full(len(y), -1), candidates, best)
        return np.array([self._decided(y, *pair, o) for pair, o in zip(best_by_offset, self.offsets, strict=True)])

    def not_exceeded(self, y: npt.NDArray[np.float64], truth: Ids) -> npt.NDArray[np.bool_]:
        """Return for which vectors (q, d) no point is certainly more likely than the true one (q,), (q,).

        Upper bounds from float32 products, which err as the lower bounds do, are compared with the true point's score.
        """
        true_score = ((y - self.points[truth]) ** 2).sum(axis=1) * self.weight[truth] + self.offsets[0][truth]
        true_score[np.isinf(self.offsets[0][truth])] = -np.inf  # it has no noise, so an equal vector is surely its own
        rows = np.arange(len(y))
        high_norms = (np.einsum("ij,ij->i", y, y) * (2 - self._rounding_factor)).astype(np.float32)[:, None]
        narrow, limit = y.astype(np.float32), np.nextafter(true_score.astype(np.float32), -np.inf)
        for tile in tiles(len(self.points)):
            upper_bounds = narrow[rows] @ self.points[tile].T
            upper_bounds *= -2
            upper_bounds += high_norms[rows]
            upper_bounds += self._high_squares[tile]
            with np.errstate(over="ignore"):  # an infinite bound says nothing
                upper_bounds *= self._high_weight[tile]
            upper_bounds += self._high_offset[tile]
            rows = rows[~(upper_bounds < limit[rows, None]).any(axis=1)]
            if not len(rows):
                break
        open_rows = np.zeros(len(y), dtype=bool)
        open_rows[rows] = True
        return open_rows

    def _decided(
        self, y: npt.NDArray[np.float64], candidates: Ids, best: Floats, offset: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.int64]:
        """Return the best candidate of each vector (q, c), or in case of doubt the best of all points, (q,)."""
        squared = np.empty(candidates.shape)
        squared_distances(y, self.points, candidates, squared)
        exact = np.where(candidates < 0, np.inf, squared * self.weight[candidates] + offset[candidates])
        decoded = candidates[np.arange(len(y)), exact.argmin(axis=1)]
        doubtful = ~(exact.min(axis=1) < best[:, -1]) & (candidates.shape[1] < len(self.points))
        squared_to_all = np.empty(len(self.points))
        for i in np.flatnonzero(doubtful):
            squared_distances_to_all(y[i], self.points, squared_to_all)
            decoded[i] = (squared_to_all * self.weight + offset).argmin()
        return decoded


def most_likely_by_norm(
    points: npt.NDArray[np.floating],
    noisy: npt.NDArray[np.floating],
    scale: float,
    order: int,
    prior: npt.NDArray[np.float64] | None = None,
) -> npt.NDArray[np.int64]:
    """Return the most likely point of each noisy vector, (q,), if the density of the noise is exp(-norm / scale).

    Distances in float32 choose candidates, and distances in float64 decide among them.

    Args:
        points: (p, d) the possible vectors, whitened.
        noisy: (q, d) released vectors, whitened.
        scale: noise scale of all points, above 0.
        order: order of the norm, 1 or 2.
        prior: (p,) probability of each point; uniform by default.
    """
    offset = np.zeros(len(points)) if prior is None else -scale * np.log(prior)
    likelihood = _ByNorm(points, order, offset)
    decoded = np.empty(len(noisy), dtype=np.int64)

    def work(block: slice) -> None:
        decoded[block] = likelihood.best(noisy[block].astype(np.float64))

    for_blocks(work, len(noisy), _FEW, "likelihood")
    return decoded


class _ByNorm:
    """Finds the minimum of |y - x_j| + o_j, like _Likelihood: float32 scores choose candidates, float64 decides.

    With the unit roundoff u, e = (d + 16) u and the norm of the law, a score S is too large by at most
    e (S + |y| + max |x| + 2 max o). Euclidean distances are lower bounds before the offset is added, because the
    square root magnifies the error of a small difference.
    """

    def __init__(self, points: npt.NDArray[np.floating], order: int, offset: npt.NDArray[np.float64]) -> None:
        self.points, self.order, self.offset = points.astype(np.float64), order, offset
        self._narrow, self._narrow_offset = points.astype(np.float32), offset.astype(np.float32)
        self._unit = (points.shape[1] + 16) * _UNIT
        self._longest = float(np.linalg.norm(points, ord=order, axis=1).max())
        self._largest_offset = float(offset[np.isfinite(offset)].max(initial=0.0))
        self._squares = np.einsum("ij,ij->i", points, points, dtype=np.float64).astype(np.float32)

    def best(self, y: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
        """Return the best point of each vector (q, d), (q,)."""
        from scipy.spatial.distance import cdist  # noqa: PLC0415 - slow to import

        lengths = np.linalg.norm(y, ord=self.order, axis=1)
        scores = self._sums(y) if self.order == 1 else self._roots(y, lengths)
        if self.offset.any():
            scores += self._narrow_offset
        candidates, best = nothing_yet(len(y), min(_CANDIDATES, len(self.points)))
        keep_smallest(scores, 0, np.full(len(y), -1), candidates, best)
        distances = np.linalg.norm(self.points[candidates] - y[:, None], ord=self.order, axis=2)
        exact = np.where(candidates < 0, np.inf, distances + self.offset[candidates])
        decoded = candidates[np.arange(len(y)), exact.argmin(axis=1)]
        slack = self._unit * (lengths + self._longest + 2 * self._largest_offset)
        bound_of_others = best[:, -1] * (1 - self._unit) - slack
        doubtful = ~(exact.min(axis=1) < bound_of_others) & (candidates.shape[1] < len(self.points))
        for i in np.flatnonzero(doubtful):
            decoded[i] = (cdist(y[i, None], self.points, "minkowski", p=self.order)[0] + self.offset).argmin()
        return decoded

    def _sums(self, y: npt.NDArray[np.float64]) -> Floats:
        """Return the L1 distances, (q, p)."""
        sums = np.empty((len(y), len(self.points)), dtype=np.float32)
        sums_of_differences(y.astype(np.float32), self._narrow, sums)
        return sums

    def _roots(self, y: npt.NDArray[np.float64], lengths: npt.NDArray[np.float64]) -> Floats:
        """Return lower bounds on the Euclidean distances, (q, p)."""
        squared = y.astype(np.float32) @ self._narrow.T
        squared *= -2
        squared += self._squares
        squared += (lengths**2 - self._unit * (lengths**2 + self._longest**2)).astype(np.float32)[:, None]
        np.maximum(squared, 0, out=squared)
        return np.sqrt(squared, out=squared)


def most_likely_within(
    points: npt.NDArray[np.floating],
    labels: npt.NDArray[np.int32],
    noisy: npt.NDArray[np.floating],
    truth: Ids,
    order: int = 2,
) -> npt.NDArray[np.bool_]:
    """Return which words are identified by an attacker who already knows their component, (q,).

    All words of a component share one noise scale, so the most likely of them is the nearest.

    Args:
        points: (p, d) the possible vectors, whitened.
        labels: (p,) their components.
        noisy: (q, d) released vectors, whitened.
        truth: (q,) the true points.
        order: order of the norm on which the density of the noise depends, 1 or 2.
    """
    grouped = np.argsort(labels, kind="stable")
    starts = np.searchsorted(labels[grouped], np.arange(labels.max() + 2))
    identified = np.empty(len(noisy), dtype=bool)
    for i, point in enumerate(truth):
        label = labels[point]
        members = grouped[starts[label] : starts[label + 1]]
        distances = np.linalg.norm(points[members].astype(np.float64) - noisy[i], ord=order, axis=1)
        identified[i] = members[distances.argmin()] == point
    return identified


def _recognise(
    points: Floats, without_noise: Ids, noisy: npt.NDArray[np.floating], decoded: npt.NDArray[np.int64]
) -> None:
    """Set `decoded` to the point without noise wherever its vector was released unchanged."""
    point_of_bytes = {(points[j] + np.float32(0)).tobytes(): j for j in without_noise}
    if point_of_bytes:
        for i, y in enumerate(noisy.astype(np.float32) + np.float32(0)):
            decoded[i] = point_of_bytes.get(y.tobytes(), decoded[i])
