"""A rough estimate of an experiment's cost, before it starts.

The rates were measured on two cores. On other machines, expect the right order of magnitude.
"""

from dataclasses import dataclass

from nadp.experiment.metrics import sample_of
from nadp.runtime.progress import duration

_PRODUCT = 1 / 115e9  # seconds for each entry of a matrix product, per dimension
_SELECTION = 0.2e-9  # seconds per score
_SAMPLED, _LIKELY = 2_000, 200  # words that later draws and the likelihood attack use
_POSTERIOR = 3e-8  # seconds for each word in one word's posterior
_UTILITY, _RESAMPLES = 4e-6, 0.05  # seconds per noise scale and draw: per squared dimension, and in addition
_BYTES = 4


@dataclass(frozen=True)
class Cost:
    """A rough forecast of an experiment.

    Attributes:
        seconds: wall time in seconds if nothing is cached.
        memory: peak memory in bytes.
        disk: bytes on disk that are kept for later runs.
    """

    seconds: float
    memory: int
    disk: int

    def __str__(self) -> str:
        return (
            f"roughly {duration(self.seconds)}, {self.memory / 1e9:.1f} GB of memory, {self.disk / 1e9:.2f} GB of disk"
        )


def cost(  # noqa: PLR0913 - the inputs of the estimate
    *, words: int, dimension: int, curves: int, epsilons: int, repeats: int, families: int
) -> Cost:
    """Return the cost estimate of an experiment without cached results.

    Args:
        words: number of words, n.
        dimension: dimension of the vectors, d.
        curves: number of curves with noise.
        epsilons: number of settings of each curve.
        repeats: number of draws.
        families: number of benchmark families, without the privacy figures.
    """
    scores = float(words) ** 2
    neighbours = scores * (dimension * _PRODUCT + _SELECTION)
    attacked = words + (repeats - 1) * _SAMPLED
    privacy = curves * attacked * words * (2 * dimension * _PRODUCT + epsilons * _SELECTION)
    privacy += curves * epsilons * repeats * _LIKELY * words * 2 * dimension * _PRODUCT
    privacy += curves * epsilons * repeats * sample_of(words) * words * _POSTERIOR
    utility = curves * epsilons * repeats * (dimension**2 * _UTILITY + _RESAMPLES) if families else 0.0
    table = words * dimension * _BYTES
    return Cost(
        seconds=15 + neighbours + privacy + utility,
        memory=1_200_000_000 + 8 * table + (1 << 28),
        disk=2 * table + words * 200 + curves * epsilons * repeats * (families + 1) * 16384,
    )
