"""NN-descent (W. Dong, M. Charikar and K. Li, WWW 2011), with the optional package pynndescent."""

import importlib.util
import threading
import warnings

import numpy as np
import numpy.typing as npt

from nadp.embeddings import Floats
from nadp.errors import InputError
from nadp.runtime.memory import give_back
from nadp.runtime.parallel import cores
from nadp.runtime.progress import Stage
from nadp.search.tiles import Candidates

_alone = threading.Lock()  # on some machines, two threads must not enter numba's parallel loops at once


def is_installed() -> bool:
    """Return whether the optional package pynndescent can be imported."""
    return importlib.util.find_spec("pynndescent") is not None


def check_installed() -> None:
    """Refuse this search if its package is not installed.

    Raises:
        InputError: if pynndescent is not installed.
    """
    if not is_installed():
        raise InputError(
            "search='nndescent' needs the package pynndescent (pip install 'nadp[nndescent]'), or use search='exact'"
        )


def neighbours(points: Floats, width: int, seed: int, start: Candidates | None = None) -> npt.NDArray[np.int32]:
    """Return other points near each one, (p, width); -1 where fewer were found.

    The same seed and number of threads give the same points. There is one thread for each processor of this process.

    Args:
        points: (p, d) float32.
        width: number of points, less than p.
        seed: seed of the search.
        start: (p, at most width) points to start from; default: from random trees.
    """
    from pynndescent import NNDescent  # noqa: PLC0415 - optional, and takes seconds to load

    start_graph = None if start is None else np.full((len(points), width), -1, dtype=np.int32)
    if start_graph is not None and start is not None:
        start_graph[:, : start.shape[1]] = start
    state = int(np.random.default_rng(seed).integers(1 << 31))
    name = f"NN-descent with {width} neighbours"
    with _alone, Stage(name, len(points)) as stage, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about points with too few neighbours, which are searched again
        index = NNDescent(points, n_neighbors=width, random_state=state, init_graph=start_graph, n_jobs=cores())
        lists: npt.NDArray[np.int32] = index.neighbor_graph[0]
        stage.reach(len(points))
        del index
    give_back()  # half a kilobyte for each point, from its trees
    lists[lists == np.arange(len(points))[:, None]] = -1
    return lists
