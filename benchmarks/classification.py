"""Classification compared with plain scikit-learn on the same noisy features: time, and differing figures.

python -m benchmarks.classification glove.6B.100d.zip path/to/benchmarks --out classification.json
"""

import argparse
import os
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.linalg import LinAlgWarning
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from benchmarks.machine import written
from benchmarks.without_noise import local_items
from nadp import read_embeddings
from nadp.embeddings import Floats, Ids
from nadp.known_words import KnownWords
from nadp.noise import base_draw, law_named, research_rng
from nadp.runtime.parallel import cores
from nadp.utility.classification import Classification, LabelledTexts

NOISE_TO_SIGNAL = (0, 0.1, 0.3, 1, 3, 10, 100)  # of the centroids
NEWTON: dict[str, Any] = {"solver": "newton-cholesky", "max_iter": 1000}
LBFGS: dict[str, Any] = {"solver": "lbfgs", "max_iter": 100_000}
PEERS: dict[str, tuple[dict[str, Any], type]] = {
    "newton-cholesky to 1e-12": (NEWTON | {"tol": 1e-12}, np.float64),
    "newton-cholesky": (NEWTON, np.float64),
    "newton-cholesky, float32": (NEWTON, np.float32),
    "lbfgs": (LBFGS, np.float64),
    "lbfgs to 1e-8": (LBFGS | {"tol": 1e-8}, np.float64),
}
"""Parameters of LogisticRegression, and the type of the numbers it gets. The figures of the first are the measure."""


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("embedding", type=Path)
    parser.add_argument("benchmarks", type=Path)
    parser.add_argument("--sets", nargs="+", default=["mr", "cr", "mpqa"])
    parser.add_argument("--best-of", type=int, default=3)
    parser.add_argument("--out", type=Path, help="where to write the same figures as JSON")
    given = parser.parse_args()
    for warning in (ConvergenceWarning, LinAlgWarning):  # of float32
        warnings.simplefilter("ignore", warning)
    sets = [one for name in given.sets if isinstance(one := local_items(name, str(given.benchmarks)), LabelledTexts)]
    evaluation, levels = _prepared(given.embedding, sets)
    with threadpool_limits(limits=1):
        rows = _compared(sets, evaluation, levels, given.best_of)
        at_once = _at_once(evaluation, levels)
    described = f"{given.embedding.name}, {levels[0].shape[1]} dimensions, {' + '.join(given.sets)}"
    print(f"{described}; mean over {len(levels)} noise scales\n")
    print("| solver | CPU ms for all sets | ratio to ours | figures that differ | by at most |\n|---|---|---|---|---|")
    for name, row in rows.items():
        print(f"| {name} | {row['ms']:.1f} | {row['ratio']:.2f} | {row['differ']} | {row['by']:.4f} |")
    load = f"; load average {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    print(f"\nours, {cores()} at once: {at_once * 1000:.0f} ms of wall time for each noise scale{load}")
    written({"measured": described, "solvers": rows, "wall_seconds_at_once": at_once}, given.out)


def _prepared(embedding: Path, sets: list[LabelledTexts]) -> tuple[Classification, list[Floats]]:
    """Return the evaluation, and the features at each noise scale."""
    embeddings = read_embeddings(embedding, words=set().union(*(one.words() for one in sets)))
    evaluation = Classification(sets, KnownWords(embeddings))
    draw = base_draw(law_named("gaussian"), embeddings, research_rng(0, "gaussian", 0))
    signal, noise = (evaluation.features(vectors[evaluation.rows]) for vectors in (embeddings.vectors, draw))
    unit = np.linalg.norm(signal) / np.linalg.norm(noise)
    return evaluation, [signal + np.float32(level * unit) * noise for level in NOISE_TO_SIGNAL]


def _compared(
    sets: list[LabelledTexts], evaluation: Classification, levels: list[Floats], best_of: int
) -> dict[str, dict[str, float]]:
    """Return time and figures of ours and of each peer."""
    solvers: dict[str, Callable[[Floats], list[float]]] = {
        "ours": lambda features: [s.value for s in evaluation.scores(features) if s.metric == "accuracy"]
    }
    solvers |= {name: partial(_peer, sets, parameters, kind) for name, (parameters, kind) in PEERS.items()}
    measured = {name: [_measured(solver, f, best_of) for f in levels] for name, solver in solvers.items()}
    truth = np.array([figures for _, figures in measured[next(iter(PEERS))]])
    ours = sum(seconds for seconds, _ in measured["ours"])
    rows = {}
    for name, each in measured.items():
        off = np.abs(np.array([figures for _, figures in each]) - truth)
        total = sum(seconds for seconds, _ in each)
        rows[name] = {
            "ms": 1000 * total / len(levels),
            "ratio": total / ours,
            "differ": int((off > 1e-12).sum()),
            "by": float(off.max()),
        }
    return rows


def _peer(sets: list[LabelledTexts], parameters: dict[str, Any], kind: type, features: Floats) -> list[float]:
    """Return the accuracy on each set."""
    found, start = [], 0
    for one in sets:
        mine, (train, test) = features[start : start + len(one.keys)], _split(one)
        model = LogisticRegression(**parameters).fit(mine[train].astype(kind), one.labels[train])
        found.append(model.score(mine[test].astype(kind), one.labels[test]))
        start += len(one.keys)
    return found


@cache  # the evaluation, too, splits once
def _split(one: LabelledTexts) -> tuple[Ids, Ids]:
    return one.split()


def _measured(solver: Callable[[Floats], list[float]], features: Floats, best_of: int) -> tuple[float, list[float]]:
    """Return the least CPU time in seconds, and the figures."""
    least = float("inf")
    for _ in range(best_of):
        start = time.thread_time()
        figures = solver(features)
        least = min(least, time.thread_time() - start)
    return least, figures


def _at_once(evaluation: Classification, levels: list[Floats]) -> float:
    """Return the wall time in seconds for each noise scale, with a thread on each core."""
    many = levels * 2
    start = time.perf_counter()
    with ThreadPoolExecutor(cores()) as pool:
        list(pool.map(evaluation.scores, many))
    return (time.perf_counter() - start) / len(many)


if __name__ == "__main__":
    main()
