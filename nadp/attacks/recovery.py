"""Recovery by the nearest word: how often the words nearest to a noisy vector include the true one."""

import numpy as np
import numpy.typing as npt

TOP = (1, 5, 10)


def recovery(nearest: npt.NDArray[np.int32], truth: npt.NDArray[np.int64]) -> dict[int, float]:
    """Return the share of words whose point is among the 1, 5 and 10 nearest to the noisy vector.

    Args:
        nearest: (q, k) the points nearest to each noisy vector, the nearest first.
        truth: (q,) the true points.
    """
    hits = nearest == truth[:, None]
    return {top: float(hits[:, :top].any(axis=1).mean()) if len(hits) else float("nan") for top in TOP}
