"""Words that got no noise at all: the release holds their vectors as they are."""

import numpy as np
import numpy.typing as npt


def without_noise(vectors: npt.NDArray[np.floating], released: npt.NDArray[np.floating]) -> npt.NDArray[np.bool_]:
    """Return which words (n,) were released as they are: every component of (n, d) is equal."""
    return (vectors == released).all(axis=1)
