"""Time to read an embedding, compared with unzipping alone and with gensim; memory to read some words of a big file.

python -m benchmarks.reading glove.6B.50d.zip --words-total 1900000 --dimension 300 --out reading.json

The big file is made in a temporary folder and deleted afterwards; gensim reads the same text, unzipped beforehand.
Times are the shortest of some repeats, taken in turn; memory is the peak of a separate process (Linux only).
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from gensim.models import KeyedVectors

from benchmarks.machine import written
from nadp import read_embeddings
from nadp.files.streams import open_stream

_POOL = 2000  # distinct vectors of the big file: far more than fit into the compression window
_MEGABYTE = 2**20


def main() -> None:
    """Measure, print a table and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("embedding", type=Path, help="a zip archive")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--words-total", type=int, default=200_000, help="words of the big file")
    parser.add_argument("--words-kept", type=int, default=73_404, help="words that are read from it")
    parser.add_argument("--dimension", type=int, default=300, help="of the big file")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    figures = {"file": _times(given.embedding, given.repeats)}
    kept = min(given.words_kept, given.words_total)
    figures["big file"] = _memory(given.embedding, given.words_total, kept, given.dimension)
    _show(figures["file"] | figures["big file"])
    written(figures, given.out)


def _times(path: Path, repeats: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder, "embedding.txt")
        with open_stream(path) as table, text.open("wb") as file:
            while chunk := table.stream.read(_MEGABYTE):
                file.write(chunk)
        read_embeddings(path, limit=1)  # compiles
        ways: dict[str, Callable[[], object]] = {
            "unzipping alone, s": lambda: _unzip(path),
            "nadp, s": lambda: read_embeddings(path),
            "gensim, text already unzipped, s": lambda: KeyedVectors.load_word2vec_format(text, no_header=True),
        }
        taken = [[_seconds(way) for way in ways.values()] for _ in range(repeats)]
        best = dict(zip(ways, np.min(taken, axis=0).tolist(), strict=True))
        unzipping, ours, gensim = best.values()
        ratios = {"nadp / unzipping": ours / unzipping, "gensim / nadp": gensim / ours}
        return {"text, MB": text.stat().st_size / _MEGABYTE} | best | ratios


def _unzip(path: Path) -> None:
    with open_stream(path) as table:
        while table.stream.read(_MEGABYTE):
            pass


def _seconds(way: Callable[[], object]) -> float:
    start = time.perf_counter()
    way()
    return time.perf_counter() - start


def _memory(like: Path, total: int, kept: int, dimension: int) -> dict[str, float]:
    """Return time and peak memory of reading some words of a big file, compared with reading one word."""
    with tempfile.TemporaryDirectory() as folder:
        path, words = Path(folder, "big.zip"), Path(folder, "words")
        size = _make(path, like, total, dimension)
        chosen = np.random.default_rng(0).choice(total, size=kept, replace=False)
        words.write_text("\n".join(f"word{i}" for i in np.sort(chosen)))
        some = _child(path, words)
        words.write_text("word0")
        one = _child(path, words)
        unzipping = _seconds(lambda: _unzip(path))
    vectors = kept * dimension * 4 / _MEGABYTE
    return {
        "big file: words": total,
        "big file: dimension": dimension,
        "big file: text, MB": size / _MEGABYTE,
        "big file: words kept": kept,
        "big file: unzipping alone, s": unzipping,
        "big file: reading the kept words, s": some["seconds"],
        "big file: peak memory, MB": some["peak"],
        "big file: peak memory for one word, MB": one["peak"],
        "big file: kept vectors, MB": vectors,
        "big file: memory of the kept words / their vectors": (some["peak"] - one["peak"]) / vectors,
    }


def _make(path: Path, like: Path, total: int, dimension: int) -> int:
    """Write a big archive of jittered numbers of an embedding; return the size of its text in bytes."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        size = 0
        with archive.open("big.txt", "w", force_zip64=True) as file:
            for block in _texts(like, total, dimension):
                size += file.write(block)
        return size


def _texts(like: Path, total: int, dimension: int) -> Iterator[bytes]:
    rng = np.random.default_rng(0)
    numbers = read_embeddings(like, limit=10_000).vectors.ravel()
    vectors = rng.choice(numbers, size=(_POOL, dimension)) * rng.uniform(0.9, 1.1, size=(_POOL, dimension))
    pool = [" ".join(f"{number:.5g}" for number in vector) for vector in vectors.tolist()]
    for start in range(0, total, _POOL):
        words = range(start, min(start + _POOL, total))
        order = rng.permutation(_POOL)
        yield "".join(f"word{i} {pool[k]}\n" for i, k in zip(words, order, strict=False)).encode()


_CHILD = """
import json, sys, time
from pathlib import Path
from nadp import read_embeddings
path, words = sys.argv[1], Path(sys.argv[2]).read_text().split("\\n")
start = time.perf_counter()
embeddings = read_embeddings(path, words=words)
seconds = time.perf_counter() - start
assert len(embeddings) == len(words)
status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
print(json.dumps({"seconds": seconds, "peak": int(status["VmHWM"].split()[0]) / 1024}))
"""


def _child(path: Path, words: Path) -> dict[str, float]:
    return json.loads(subprocess.check_output([sys.executable, "-c", _CHILD, path, words]))  # noqa: S603 - own code


def _show(figures: dict[str, float]) -> None:
    print("| | |\n| --- | ---: |")
    for what, figure in figures.items():
        print(f"| {what} | {figure:,} |" if isinstance(figure, int) else f"| {what} | {figure:,.2f} |")


if __name__ == "__main__":
    main()
