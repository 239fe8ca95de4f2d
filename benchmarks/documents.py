"""Experiment, release and audit of a table of documents: time and memory.

python -m benchmarks.documents --out benchmarks/results/documents.json

The table is synthetic: a Parquet file of ids and vectors, for documents of 20 subjects with 25 topics each. Vectors
have length 1, as sentence models give them. There are three tasks: the subject of 5,000 documents (labelled rows), the
similarity of 2,000 pairs without what is particular to each document (pairs of rows), and the share of the true ten
nearest neighbours that is kept (neighbours). Each step is a separate process that starts with an empty cache.
"""

import argparse
import csv
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.machine import written
from nadp import Embeddings
from nadp.files import write_embeddings

SUBJECTS, TOPICS, LABELLED, PAIRS = 20, 25, 5_000, 2_000
EPSILONS = ["5", "40", "320"]
TASKS = {
    "subject": 'name = "subject"\nfamily = "labelled-rows"\nsource = "subject.csv"\n',
    "similar": 'name = "similar"\nfamily = "row-pairs"\nsource = "similar.csv"\n',
    "kept": 'name = "kept"\nfamily = "neighbours"\n',
}


def main() -> None:
    """Measure and print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--dimension", type=int, default=384)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = _measured(Path(folder), given.documents, given.dimension)
    written({"documents": given.documents, "dimension": given.dimension, **found}, given.out)


def _measured(folder: Path, documents: int, dimension: int) -> dict[str, Any]:
    table, private = folder / "documents.parquet", folder / "private.parquet"
    _make(folder, table, documents, dimension)
    tasks = [str(folder / f"{name}.toml") for name in TASKS]
    certificate, ledger = folder / "private.parquet.certificate.json", folder / "ledger.sqlite"
    steps: dict[str, list[Any]] = {
        "experiment": [
            *("--embedding", table, "--words", documents, "--task", *tasks),
            *("--mechanisms", "nadp", "--isolated", "nearest"),
            *("--epsilons", *EPSILONS, "--repeats", "1", "--search", "exact", "--out", folder / "experiment"),
        ],
        "release": ["--embedding", table, "--epsilon", "5", "--out", private, "--ledger", ledger],
        "audit": [
            *("--original", table, "--released", private, "--certificate", certificate, "--strict"),
            *("--out", folder / "audit"),
        ],
    }
    found: dict[str, Any] = {"steps": {name: _run(folder, name, step) for name, step in steps.items()}}
    found["scores"] = _scores(folder / "experiment" / "scores.csv")
    return found


def _make(folder: Path, table: Path, documents: int, dimension: int) -> None:
    """Write a table of documents, and its tasks."""
    rng = np.random.default_rng(0)
    subject, topic = rng.integers(SUBJECTS, size=documents), rng.integers(TOPICS, size=documents)
    subjects, topics = rng.normal(size=(SUBJECTS, dimension)), 0.7 * rng.normal(size=(SUBJECTS, TOPICS, dimension))
    places = (subjects[subject] + topics[subject, topic]).astype(np.float32)
    vectors = places + 0.7 * rng.normal(size=places.shape).astype(np.float32)
    ids = [f"d{i:06}" for i in range(documents)]
    write_embeddings(table, Embeddings(ids, vectors / np.linalg.norm(vectors, axis=1, keepdims=True)))
    places /= np.linalg.norm(places, axis=1, keepdims=True)
    order = np.argsort(subject, kind="stable")  # neighbours in it are of one subject, so half of the pairs are similar
    near = rng.integers(documents - 1, size=PAIRS // 2)
    pairs = np.vstack([np.stack([order[near], order[near + 1]], axis=1), rng.integers(documents, size=(PAIRS // 2, 2))])
    _csv(folder / "subject.csv", ("id", "label"), ((ids[i], f"s{subject[i]}") for i in range(min(LABELLED, documents))))
    scored = ((ids[i], ids[j], f"{places[i] @ places[j]:.4f}") for i, j in pairs if i != j)
    _csv(folder / "similar.csv", ("first", "second", "score"), scored)
    for name, declared in TASKS.items():
        (folder / f"{name}.toml").write_text(declared)


def _csv(path: Path, heads: tuple[str, ...], rows: Any) -> None:  # noqa: ANN401 - an iterable of rows
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([heads, *rows])


def _run(folder: Path, name: str, options: list[Any]) -> dict[str, float]:
    """Run a flow in a separate process; return seconds, and the peak memory of it or of a process that it started."""
    environment = os.environ | {"NADP_HOME": str(folder / "home"), "PREFECT_HOME": str(folder / "prefect")}
    start = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", f"flows.{name}", *map(str, options)], env=environment)  # noqa: S603 - our own flow
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    if status:
        raise SystemExit(f"{name} ended with {os.waitstatus_to_exitcode(status)}")
    print(f"{name}: {seconds:.0f} s, {used.ru_maxrss * 1024 / 1e9:.2f} GB", flush=True)
    processor = used.ru_utime + used.ru_stime
    return {"seconds": seconds, "processor_seconds": processor, "peak_gb": used.ru_maxrss * 1024 / 1e9}


def _scores(path: Path) -> list[dict[str, Any]]:
    """Return the scores of the three tasks, and recovery, a record for each table."""
    columns = {("subject", "accuracy"), ("similar", "spearman"), ("kept", "neighbours-kept")}
    named = {key: key[0] for key in columns} | {("privacy", "recovery-top1"): "recovery"}
    found: dict[tuple[str, str], dict[str, Any]] = {}
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            key = (row["mechanism"], row["epsilon"])
            record = found.setdefault(key, {"mechanism": row["mechanism"], "epsilon": row["epsilon"]})
            if (row["benchmark"], row["metric"]) in named:
                record[named[row["benchmark"], row["metric"]]] = float(row["value"])
    return list(found.values())


if __name__ == "__main__":
    main()
