"""A table of an embedding's scores without noise on every benchmark of a local folder, with coverage and time.

python -m benchmarks.without_noise glove.6B.50d.zip path/to/benchmarks
"""

import argparse
import time
from pathlib import Path

from nadp import read_embeddings
from nadp.known_words import KnownWords
from nadp.scores import Score
from nadp.utility.families import EVALUATIONS
from nadp.utility.items import Items, items
from tasks.sources.benchmarks.catalogue import BENCHMARKS
from tasks.sources.benchmarks.locating import locate
from tasks.sources.benchmarks.reading import read


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("embedding", type=Path)
    parser.add_argument("benchmarks", type=Path)
    given = parser.parse_args()
    sets = {name: local_items(name, str(given.benchmarks)) for name, one in BENCHMARKS.items() if one.language == "en"}
    needed = set().union(*(one.words() for one in sets.values()))
    embeddings = read_embeddings(given.embedding, words=needed)
    print(f"{given.embedding.name}: {len(embeddings):,} of {len(needed):,} words in any case\n")
    print("| benchmark | metric | score | items | coverage |\n| --- | --- | --- | --- | --- |")
    for family in dict.fromkeys(BENCHMARKS[name].family for name in sets):
        mine = [one for name, one in sets.items() if BENCHMARKS[name].family == family]
        start = time.perf_counter()
        evaluation = EVALUATIONS[family](mine, KnownWords(embeddings))
        prepared = time.perf_counter()
        scores = evaluation.scores(evaluation.features(embeddings.vectors[evaluation.rows]))
        _show(scores)
        took = time.perf_counter() - prepared
        print(f"| *{family}: {prepared - start:.2f} s to prepare, {took:.2f} s to score* | | | | |")


def local_items(name: str, folder: str) -> Items:
    """Return the items of a benchmark in a local folder."""
    located = locate(name, folder)
    rows = read(located, located.benchmark.sources[0])
    return items(located.benchmark, rows)


def _show(scores: list[Score]) -> None:
    for score in scores:
        print(f"| {score.benchmark} | {score.metric} | {score.value:.4f} | {score.items:,} | {score.coverage:.4f} |")


if __name__ == "__main__":
    main()
