"""Time and memory to make groups, after the neighbour lists (Linux).

python -m benchmarks.partition glove.6B.50d.zip --words 20000 73404 400000 --out partition.json

Memory is what the process needs beyond the vectors and the lists, which it held before.
"""

import argparse
from pathlib import Path

from benchmarks.machine import Clock, written
from benchmarks.vectors import grown
from nadp.embeddings import Embeddings
from nadp.groups import Bounds, Prior, partition, uniform_prior, zipf_prior
from nadp.search import NearestNeighbours, nearest_neighbours

BOUNDS = {
    "K = 8, uniform prior": Bounds(8),
    "b = .3, Zipf": Bounds(max_share=0.3),
    "b = .2, Zipf": Bounds(max_share=0.2),
}


def main() -> None:
    """Measure every size, and print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("embedding", type=Path)
    parser.add_argument("--words", type=int, nargs="+", default=[20_000, 73_404, 400_000])
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    some = grown(given.embedding, 500)
    partition(some, nearest_neighbours(some.points.vectors), uniform_prior(500), Bounds(2))  # compiles
    found = []
    for words in given.words:
        embeddings = grown(given.embedding, words)
        lists = nearest_neighbours(embeddings.points.vectors, search="auto")
        for name, bounds in BOUNDS.items():
            prior = uniform_prior(words) if "uniform" in name else zipf_prior(words)
            found.append({"words": words, "bounds": name} | _measured(embeddings, lists, prior, bounds))
            print(found[-1], flush=True)
            written({"embedding": given.embedding.name, "runs": found}, given.out)


def _measured(embeddings: Embeddings, lists: NearestNeighbours, prior: Prior, bounds: Bounds) -> dict[str, object]:
    clock = Clock()
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # reset the peak
    before = _kilobytes("VmRSS")
    with clock.of("groups"):
        made = partition(embeddings, lists, prior, bounds)
    more = 1024 * (_kilobytes("VmHWM") - before)
    allowed = 4 * embeddings.vectors.nbytes + 1000 * len(embeddings)
    return {
        "dimension": embeddings.dimension,
        "seconds": clock.seconds["groups"],
        "memory_gb": more / 1e9,
        "share_of_4_times_the_vectors_and_1_kb_a_word": more / allowed,
        "groups": len(made),
        "largest": int(made.sizes.max()),
        "largest_share": made.largest_share,
        "success": made.success,
        "kept": made.keeps_bounds(),
    }


def _kilobytes(name: str) -> int:
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name))


if __name__ == "__main__":
    main()
