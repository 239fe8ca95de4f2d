"""How time and memory grow with the number of words: exact search, NN-descent, Annoy, and one whole NADP release.

python -m benchmarks.growth glove.6B.50d.zip --words 25000 50000 100000 200000 400000 --out growth.json

Each size is measured in a separate process, which gives its peak memory. The time of NN-descent includes its
compilation.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

import numpy as np

from benchmarks.machine import Clock, peak_memory, written
from benchmarks.vectors import grown
from nadp import MECHANISMS, EmbeddingSpace
from nadp.components import neighbourhoods
from nadp.graph import neighbour_graph
from nadp.search import nearest_neighbours

_SEARCHES = ("exact", "nndescent", "annoy")


def main() -> None:
    """Measure every size with every search, and print the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("embedding", type=Path)
    parser.add_argument("--words", type=int, nargs="+", default=[25_000, 50_000, 100_000, 200_000, 400_000])
    parser.add_argument("--exact-up-to", type=int, default=400_000)
    parser.add_argument("--recall", type=float, default=0.95)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--searches", nargs="+", default=_SEARCHES, choices=_SEARCHES)
    parser.add_argument("--one", choices=_SEARCHES, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(_measured(given.embedding, given.words[0], given.one, given.recall)))
        return
    found = []
    for words in given.words:
        for search in given.searches:
            if search != "exact" or words <= given.exact_up_to:
                found.append(_in_a_process(given, words, search))
                print(found[-1], flush=True)
    written({"embedding": given.embedding.name, "recall": given.recall, "runs": found}, given.out)


def _in_a_process(given: argparse.Namespace, words: int, search: str) -> dict[str, object]:
    command = [sys.executable, "-m", "benchmarks.growth", str(given.embedding)]
    command += ["--words", str(words), "--one", search, "--recall", str(given.recall)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603 - this very script
    found: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return found


def _measured(path: Path, words: int, search: str, recall: float) -> dict[str, object]:
    """Return time and memory of the chain from vectors to one release."""
    embeddings = grown(path, words)
    points = embeddings.points.vectors
    before, clock = peak_memory(), Clock()
    with clock.of("neighbours"):
        lists = nearest_neighbours(points, search=search, recall=recall)
    with clock.of("graph and components"):
        graph = neighbour_graph(lists, tau=0.1)
        space = EmbeddingSpace(embeddings, lists, neighbourhoods(graph, lists, "nearest"))
    with clock.of("release"):
        MECHANISMS["nadp"]().perturb(space, 10.0, 1e-6, np.random.default_rng(0))
    return {
        "search": search,
        "words": words,
        "dimension": points.shape[1],
        "seconds": {name: round(seconds, 2) for name, seconds in clock.seconds.items()},
        "recall": lists.recall,
        "gb_before": round(before / 1e9, 2),
        "peak_memory_gb": round(peak_memory() / 1e9, 2),
    }


if __name__ == "__main__":
    main()
