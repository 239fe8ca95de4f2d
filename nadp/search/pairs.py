"""Candidates for all points at once: x.y serves both x and y, so only half of the product is computed."""

from collections.abc import Iterator

import numpy as np

from nadp.embeddings import Floats
from nadp.runtime.parallel import cores, each_done, slices
from nadp.runtime.progress import Stage
from nadp.search.kernels import keep_smallest, keep_smallest_both_ways
from nadp.search.tiles import Candidates

_LEAST, _MOST = 256, 2048  # points of a block
_ROWS = 512  # of a product at a time, so that it stays in the cache


def nearest_candidates(points: Floats, half: Floats, count: int) -> tuple[Candidates, Floats]:
    """Return, for each point x, the points y of smallest score |y|^2/2 - x.y and their scores, both (p, count).

    Scores are ascending. No point that is left out has a smaller score than the last one.

    Args:
        points: (p, d) float32.
        half: (p,) float32, half the squared norm of each.
        count: number of points for each, at most p - 1.
    """
    candidates = np.full((len(points), count), -1, dtype=np.int32)
    best = np.full((len(points), count), np.inf, dtype=np.float32)
    limits = np.full(len(points), np.inf, dtype=np.float32)
    size = min(_MOST, max(_LEAST, len(points) // (4 * cores())))  # enough blocks for all cores in every round
    blocks = slices(len(points) if count else 0, size)

    def work(pair: tuple[int, int]) -> None:
        rows, columns = (blocks[i] for i in pair)
        for start in range(rows.start, rows.stop, _ROWS):
            strip = slice(start, min(start + _ROWS, rows.stop))
            product = points[strip] @ points[columns].T
            if rows == columns:
                scores = np.subtract(half[columns], product, out=product)
                keep_smallest(scores, columns.start, np.arange(strip.start, strip.stop), candidates[strip], best[strip])
                limits[strip] = best[strip, -1]
            else:
                keep_smallest_both_ways(product, half, strip.start, columns.start, candidates, best, limits)

    for kernel in (keep_smallest, keep_smallest_both_ways):
        kernel.compile()  # numba takes its memory before each_done checks that some is left for products
    pairs = len(blocks) * (len(blocks) + 1) // 2
    with Stage("exact neighbours", len(points)) as stage:
        for done, _ in enumerate(each_done(work, rounds(len(blocks))), start=1):
            stage.reach(len(points) * done // pairs)
    return candidates, best


def rounds(players: int) -> Iterator[list[tuple[int, int]]]:
    """Yield each block paired with itself, then the rounds of a round-robin tournament: no block is twice in a round.

    One block stays fixed, the others rotate.
    """
    yield [(i, i) for i in range(players)]
    n_rounds = players - 1 + players % 2  # with an odd number, one block pauses in each round
    for round_number in range(n_rounds):
        opponents = [(n_rounds, round_number)] + [
            ((round_number + i) % n_rounds, (round_number - i) % n_rounds) for i in range(1, n_rounds // 2 + 1)
        ]
        yield [(min(pair), max(pair)) for pair in opponents if max(pair) < players]
