"""Vectors of the sentences of SUBJ, as a table of documents, and three tasks that ask about them.

    python docs/examples/documents.py SHARED/embeddings/glove.6B.100d.top80000.zip SHARED/benchmarks OUT

The vector of a sentence is the mean of the vectors of its words, scaled to length 1. OUT gets documents.parquet (id and
vector), subjective.csv (which sentences are subjective), pairs.csv (how many words two sentences share) and the
declarations of the tasks.
"""

import csv
import sys
from pathlib import Path

import numpy as np

from nadp import Embeddings, read_embeddings
from nadp.centroids import centroids
from nadp.files import write_embeddings
from nadp.known_words import KnownWords
from nadp.tokens import TREEBANK

TASKS = {
    "subjective": 'name = "subjective"\nfamily = "labelled-rows"\nsource = "subjective.csv"\n',
    "pairs": 'name = "pairs"\nfamily = "row-pairs"\nsource = "pairs.csv"\n',
    "kept": 'name = "kept"\nfamily = "neighbours"\n',
}


def made(table: Path, benchmarks: Path, out: Path, each: int = 5000) -> None:
    """Write the table of documents and its tasks.

    Args:
        table: the vectors of words.
        benchmarks: the folder with text_classification/subj.
        out: where they go.
        each: number of sentences of each kind, at most.
    """
    texts, labels = [], []
    for label in ("objective", "subjective"):
        path = benchmarks / "text_classification" / "subj" / f"subj.{label}"
        lines = path.read_text(encoding="cp1252").splitlines()[:each]
        texts += lines
        labels += [label] * len(lines)
    words = [TREEBANK.split(text) for text in texts]
    known = read_embeddings(table, words={word.lower() for text in words for word in text})
    matrix, rows = centroids(words, KnownWords(known))
    vectors = matrix @ known.vectors[rows]
    lengths = np.linalg.norm(vectors, axis=1)
    kept = np.flatnonzero(lengths)  # of which a word is known
    ids = [f"s{i:05}" for i in kept]
    out.mkdir(parents=True, exist_ok=True)
    write_embeddings(out / "documents.parquet", Embeddings(ids, vectors[kept] / lengths[kept, None]))
    _csv(out / "subjective.csv", ("id", "label"), [(f"s{i:05}", labels[i]) for i in kept])
    _csv(out / "pairs.csv", ("first", "second", "score"), _pairs(words, kept))
    for name, text in TASKS.items():
        (out / f"{name}.toml").write_text(text)


def _pairs(words: list[list[str]], kept: np.ndarray) -> list[tuple[str, str, str]]:
    """Return pairs of documents with the Jaccard index of their words."""
    drawn = np.random.default_rng(0).choice(kept, size=(2000, 2))
    sets = [set(text) for text in words]
    scores = [len(sets[i] & sets[j]) / len(sets[i] | sets[j]) for i, j in drawn]
    return [(f"s{i:05}", f"s{j:05}", f"{s:.4f}") for (i, j), s in zip(drawn, scores, strict=True) if i != j]


def _csv(path: Path, heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([heads, *rows])


if __name__ == "__main__":
    made(*map(Path, sys.argv[1:4]))
