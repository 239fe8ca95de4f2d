"""The exact privacy figures of whole curves, compared with the plain way of computing them.

python -m benchmarks.privacy en.explosion.300d.20k.zip --words 73404 --epsilons 50 --out privacy.json

The plain way makes M(x) at each noise scale, multiplies it with all points and selects the ten nearest. It is measured
on some of the words at one epsilon, and extrapolated in proportion to all.
"""

import numpy as np

from benchmarks.machine import Clock, arguments, peak_memory, written
from benchmarks.vectors import grown
from nadp import MECHANISMS, EmbeddingSpace
from nadp.experiment.privacy import privacy
from nadp.noise import base_draw
from nadp.search.decoding import half_squares, nearest_to_noisy

_PLAIN_WORDS = 4096
_CURVES = 9  # of the paper's experiment


def main() -> None:
    """Measure and print the results."""
    parser = arguments(__doc__)
    parser.add_argument("--epsilons", type=int, default=50)
    given = parser.parse_args()
    space = EmbeddingSpace.build(grown(given.embedding, given.words))
    mechanism = MECHANISMS["nadp"]()
    draw = base_draw(mechanism.noise, space.embeddings, np.random.default_rng(0))
    epsilons = np.geomspace(0.8, 40, given.epsilons)
    scales = np.array([mechanism.noise_scale(space, float(epsilon), 1e-5) for epsilon in epsilons])
    few = np.arange(300)
    nearest_to_noisy(space.embeddings.points.vectors, space.vectors[few], draw[few], scales[:2, few])  # compiles
    clock = Clock()
    with clock.of("one curve"):
        privacy(space, draw, scales)
    with clock.of(f"the plain way, {_PLAIN_WORDS} words, one epsilon"):
        _plain(space, draw, scales[len(scales) // 2])
    curve, plain = clock.seconds.values()
    plain *= len(space) / _PLAIN_WORDS * len(epsilons)
    result = {
        "words": len(space),
        "dimension": space.embeddings.dimension,
        "epsilons": len(epsilons),
        "seconds": clock.seconds,
        "plain_seconds_of_a_curve": plain,
        "faster_than_plain": plain / curve,
        "minutes_of_nine_curves": _CURVES * curve / 60,
        "peak_memory_gb": peak_memory() / 1e9,
    }
    print({name: round(value, 3) for name, value in result.items() if isinstance(value, float)})
    written(result, given.out)


def _plain(space: EmbeddingSpace, draw: np.ndarray, scale: np.ndarray) -> None:
    """Decode some noisy words with NumPy alone."""
    points = space.embeddings.points.vectors
    noisy = (space.vectors + draw * scale[:, None].astype(np.float32))[:_PLAIN_WORDS]
    for start in range(0, _PLAIN_WORDS, 256):
        scores = half_squares(points) - noisy[start : start + 256] @ points.T
        near = np.argpartition(scores, 10, axis=1)[:, :10]
        order = np.take_along_axis(scores, near, axis=1).argsort(axis=1)
        np.take_along_axis(near, order, axis=1)


if __name__ == "__main__":
    main()
