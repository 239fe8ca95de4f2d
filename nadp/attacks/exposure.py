"""Words without any noise: the release holds their vectors unchanged."""

import numpy as np
import numpy.typing as npt


def without_noise(vectors: npt.NDArray[np.floating], released: npt.NDArray[np.floating]) -> npt.NDArray[np.bool_]:
    """Return which words (n,) were released unchanged: every component of (n, d) is equal."""
    return (vectors == released).all(axis=1)
