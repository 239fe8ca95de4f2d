"""Exact calibration of Gaussian noise: the privacy profile and its inversion.

The only theorem used here is Theorem 8 of Balle and Wang (2018), the paper's Theorem 2: adding
N(0, sigma^2 I) to a value of L2 sensitivity Delta is (epsilon, delta)-DP if and only if

    Phi(mu/2 - epsilon/mu) - exp(epsilon) Phi(-mu/2 - epsilon/mu) <= delta,    mu = Delta / sigma.

`_log_delta` and `_log_remainder` return the logarithms of the left side and of one minus it. The public functions
evaluate or invert them.
"""

import math
from collections.abc import Callable, Iterable

import numpy as np
from scipy.special import erf, erfc, erfcx, erfinv, ndtr, ndtri

from nadp.errors import InputError

_SQRT2 = math.sqrt(2)
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)
_SAFETY = 1 + 2**5 * np.finfo(float).eps  # above the error of the root, so that rounding never costs privacy
_PROFILE_ERROR = 1e-12  # more than the relative error of the profile
_ROOT_ERROR = 2 * float(np.finfo(float).eps)
_LARGEST_MULTIPLIER = 1e300
_TINY = float(np.finfo(float).tiny)


def privacy_profile(epsilon: float, noise_multiplier: float) -> float:
    """Return the least delta for which Gaussian noise is (epsilon, delta)-DP (Theorem 2, g(u)).

    Args:
        epsilon: privacy budget, 0 <= epsilon < inf.
        noise_multiplier: standard deviation per unit of L2 sensitivity, u = sigma / Delta > 0.

    Raises:
        InputError: if a value is outside its range.
    """
    _check_epsilon(epsilon)
    if not (0 < noise_multiplier < math.inf):
        raise InputError(f"noise_multiplier must be positive and finite, not {noise_multiplier!r}")
    mu = 1 / noise_multiplier
    if not math.isfinite(mu):
        raise InputError(f"noise_multiplier {noise_multiplier!r} is too small to differ from no noise")
    log_delta = _log_delta(epsilon, mu)
    return math.exp(log_delta) if log_delta < -math.log(2) else -math.expm1(_log_remainder(epsilon, mu))


def noise_multiplier(epsilon: float, delta: float) -> float:
    """Return u*, the least Gaussian standard deviation per unit of L2 sensitivity for (epsilon, delta)-DP.

    The result is rounded up, so the delta that it reaches never exceeds `delta` (Algorithm 3, line 4).

    Args:
        epsilon: privacy budget, 0 <= epsilon < inf.
        delta: probability of failure, 0 < delta < 1.

    Raises:
        InputError: if a value is outside its range, or no finite noise scale reaches them in double precision.
    """
    _check_epsilon(epsilon)
    if not (_TINY <= delta < 1):
        raise InputError(f"delta must lie strictly between 0 and 1 (and not below {_TINY:.0e}), not {delta!r}")
    mu = _mu_at_zero(delta) if epsilon < _TINY else _mu(float(epsilon), float(delta))
    multiplier = float(_SAFETY) / mu if mu > 0 else math.inf
    if not (_TINY <= multiplier <= _LARGEST_MULTIPLIER):
        raise InputError(f"no usable noise scale reaches epsilon={epsilon!r}, delta={delta!r}")
    return multiplier


def classical_noise_multiplier(epsilon: float, delta: float) -> float:
    """Return sqrt(2 ln(1.25/delta)) / epsilon, the textbook calibration (Theorem 1), proved for epsilon < 1 only."""
    _check_epsilon(epsilon)
    if epsilon == 0:
        raise InputError("the classical calibration divides by epsilon, which must be above 0")
    if not (0 < delta < 1):
        raise InputError(f"delta must lie strictly between 0 and 1, not {delta!r}")
    return math.sqrt(2 * math.log(1.25 / delta)) / epsilon


def _check_epsilon(epsilon: float) -> None:
    if not (0 <= epsilon < math.inf):
        raise InputError(f"epsilon must be 0 or more and finite, not {epsilon!r}")


def _log_delta(epsilon: float, mu: float) -> float:
    """Return the logarithm of the left side of the theorem, without cancellation."""
    t1, t2 = epsilon / mu - mu / 2, epsilon / mu + mu / 2
    if t1 > 0:
        return math.log(0.5) - t1 * t1 / 2 + _log(_erfcx_difference(t1 / _SQRT2, t2 / _SQRT2, mu / _SQRT2))
    if mu < 1:
        middle = erf(t2 / _SQRT2) + erf(-t1 / _SQRT2)
        return _log(0.5 * middle - math.expm1(epsilon) * 0.5 * erfc(t2 / _SQRT2))
    return math.log1p(-math.exp(_log_remainder(epsilon, mu)))


def _log_remainder(epsilon: float, mu: float) -> float:
    """Return log(1 - delta), a sum of two positive terms: Phi(t1) + exp(epsilon) Phi(-t2)."""
    t1, t2 = epsilon / mu - mu / 2, epsilon / mu + mu / 2
    if t1 < 0:  # both terms have the factor exp(-t1^2/2): taken out, it cannot underflow
        return -t1 * t1 / 2 + _log(0.5 * (erfcx(-t1 / _SQRT2) + erfcx(t2 / _SQRT2)))
    return min(0.0, math.log(ndtr(t1) + 0.5 * math.exp(-t1 * t1 / 2) * erfcx(t2 / _SQRT2)))


def _erfcx_difference(low: float, high: float, width: float) -> float:
    """Return erfcx(low) - erfcx(high) for high = low + width, by quadrature of the derivative where it cancels."""
    difference = erfcx(low) - erfcx(high)
    if difference > 0.01 * erfcx(low):
        return float(difference)
    x = (low + high) / 2 + width / 2 * _NODES
    return float(width / 2 * np.dot(_WEIGHTS, 2 / math.sqrt(math.pi) - 2 * x * erfcx(x)))


def _log(value: float) -> float:
    return math.log(value) if value > 0 else -math.inf


def _mu_at_zero(delta: float) -> float:
    """Return mu for epsilon 0, where delta = erf(mu / (2 sqrt 2))."""
    if delta < 0.5:
        return float(2 * _SQRT2 * erfinv(delta * (1 - _PROFILE_ERROR)))
    return float(-2 * ndtri((1 - delta) * (1 + _PROFILE_ERROR) / 2))


def _mu(epsilon: float, delta: float) -> float:
    """Return the root mu of the theorem; for delta above one half, solve for 1 - delta, which is exact there."""
    if delta <= 0.5:
        target = math.log(delta) - _PROFILE_ERROR

        def excess(mu: float) -> float:
            return max(_log_delta(epsilon, mu), -1e6) - target
    else:
        target = math.log1p(-delta) + _PROFILE_ERROR

        def excess(mu: float) -> float:
            return target - _log_remainder(epsilon, mu)

    low = high = math.sqrt(2) * math.sqrt(epsilon)
    while excess(low) > 0:
        low, high = low / 2, low
    while excess(high) < 0:
        high *= 2
    return _root(excess, low, high)


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    """Return a point within a few units in the last place of a root, at which the function is at most 0.

    Inverse quadratic interpolation is used where three points show that it converges, bisection elsewhere (T. R.
    Chandrupatla, Advances in Engineering Software 28, 1997).

    Args:
        function: monotonic, of different signs at both ends, or 0 at one.
        low: 0 or more.
        high: more than `low`.
    """
    a, b = high, low  # the newest point, and the one on the other side of the root
    value_at_a, value_at_b = function(a), function(b)
    share = 0.5
    while value_at_a != 0 and abs(b - a) > 2 * max(_ROOT_ERROR * max(abs(a), abs(b)), math.ulp(0.0)):
        next_point = a + share * (b - a)
        value_at_next = function(next_point)
        if (value_at_next > 0) == (value_at_a > 0):
            c, value_at_c = a, value_at_a
        else:
            c, value_at_c, b, value_at_b = b, value_at_b, a, value_at_a
        a, value_at_a = next_point, value_at_next
        share = _position_between((a, b, c), (value_at_a, value_at_b, value_at_c))
    return a if value_at_a <= 0 else b


def _position_between(points: tuple[float, float, float], values: tuple[float, float, float]) -> float:
    """Return the next point's position between the first two of three points, as a share; it differs from both."""
    (a, b, c), (value_at_a, value_at_b, value_at_c) = points, values
    share = 0.5
    xi, phi = (a - b) / (c - b), (value_at_a - value_at_b) / (value_at_c - value_at_b)
    if phi * phi < xi and (1 - phi) * (1 - phi) < 1 - xi:
        share = value_at_a / (value_at_b - value_at_a) * value_at_c / (value_at_b - value_at_c)
        share += (c - a) / (b - a) * value_at_a / (value_at_c - value_at_a) * value_at_b / (value_at_c - value_at_b)
    smallest_share = min(0.5, _ROOT_ERROR * max(abs(a), abs(b)) / abs(b - a))
    return min(1 - smallest_share, max(smallest_share, share))


def mu_of(noise_multiplier: float) -> float:
    """Return mu of Gaussian differential privacy (Dong, Roth and Su 2022): sensitivity over standard deviation."""
    if not (0 < noise_multiplier < math.inf):
        raise InputError(f"noise_multiplier must be positive and finite, not {noise_multiplier!r}")
    return 1 / noise_multiplier


def composed_mu(mus: Iterable[float]) -> float:
    """Return the composed mu of several releases or tokens: the root of the sum of squares; exact for Gaussian noise.

    Along k edges of a component, distances add instead: there mu is at most k times as large.
    """
    return math.sqrt(math.fsum(mu * mu for mu in mus))


def epsilon_of(mu: float, delta: float) -> float:
    """Return the least epsilon for which a mu of Gaussian differential privacy is (epsilon, delta)-DP, rounded up.

    Args:
        mu: 0 < mu < inf.
        delta: probability of failure, 0 < delta < 1.

    Raises:
        InputError: if a value is outside its range.
    """
    if not (0 < mu < math.inf):
        raise InputError(f"mu must be positive and finite, not {mu!r}")
    if not (0 < delta < 1):
        raise InputError(f"delta must lie strictly between 0 and 1, not {delta!r}")
    multiplier = 1 / mu
    if privacy_profile(0, multiplier) <= delta:
        return 0.0
    high = 1.0
    while privacy_profile(high, multiplier) > delta:
        high *= 2
    root = _root(lambda e: math.log(max(privacy_profile(e, multiplier), 1e-320) / delta), 0.0, high)
    return root * (1 + 1e-12) + 1e-12


def distinguishing_accuracy(mu: float) -> float:
    """Return the optimal distinguishing accuracy between two equally likely neighbours: Phi(mu / 2)."""
    return float(ndtr(mu / 2))
