"""Groups against noise, at equal recovery and at equal disclosure, each figure beside its floor.

python -m benchmarks.groups path/to/embeddings path/to/benchmarks --out groups.json

Parts (all by default): tables, tokens, small (50 dimensions), french, attacks, two (partitions), peers (packages that
replace words, each in a separate Python: `--pythons mldp-text=A/bin/python pypantera=B/bin/python
dp-diffractor=C/bin/python`; versions: benchmarks/requirements.txt). What a part has found is kept in --out, and a run
that is begun again continues from there. Words: the 20,000 most frequent and those of MEN, SimLex-999 and SimVerb-3500;
Zipf's rank is the line in the file; MR in five folds on 5,000 texts. Noise is decoded in its best way for each figure.
`--fewer N` divides samples and texts, to try things out.
"""

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.groups import attacks, compared, peers
from benchmarks.groups.protocol import Protocol
from benchmarks.machine import machine

PARTS = ("tables", "tokens", "small", "french", "attacks", "two", "peers")
_FILES = {
    "100d": "glove.6B.100d.top80000.zip",
    "50d": "glove.6B.50d.zip",
    "french": "fr.explosion.300d.20k.zip",
}
Row = dict[str, Any]


class Found:
    """What was found so far, in a file.

    Args:
        path: of the file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._rows: dict[str, Row] = json.loads(path.read_text())["rows"] if path.exists() else {}

    def row(self, key: str, compute: Callable[[], Row]) -> Row:
        """Return a row, computed now unless it was before."""
        if key not in self._rows:
            self._rows[key] = compute()
            record = {"machine": machine(), "rows": self._rows}
            self._path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
            print(key, self._rows[key], flush=True)
        return self._rows[key]


def main() -> None:
    """Compute what is not there yet."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("embeddings", type=Path)
    parser.add_argument("benchmarks", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--parts", nargs="+", default=PARTS)
    parser.add_argument("--pythons", nargs="+", default=[], metavar="PACKAGE=PYTHON")
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--fewer", type=int, default=1)
    given = parser.parse_args()
    found = Found(given.out)
    size = compared.Size(20_000, 5_000 // given.fewer, 2_000 // given.fewer, given.draws)

    def protocol(name: str) -> Protocol:
        path = given.embeddings / _FILES[name]
        words = 19_988 if name == "french" else size.words
        return Protocol.of(path, given.benchmarks, words, size.texts, english=name != "french")

    parts: dict[str, tuple[str, Callable[[Protocol], None]]] = {
        "tables": ("100d", lambda p: compared.tables(p, size, found.row)),
        "tokens": ("100d", lambda p: compared.tokens(p, size, found.row)),
        "small": ("50d", lambda p: compared.small(p, found.row)),
        "french": ("french", lambda p: compared.neighbours_kept(p, size, found.row)),
        "attacks": ("100d", lambda p: attacks.all_of_them(p, size, found.row)),
        "two": ("100d", lambda p: attacks.two_partitions(p, given.embeddings / _FILES["50d"], found.row)),
    }
    pythons = {name: Path(python) for name, _, python in (one.partition("=") for one in given.pythons)}
    parts["peers"] = ("100d", lambda p: peers.words_for_words(p, pythons, found.row))
    prepared: dict[str, Protocol] = {}
    for part in given.parts:
        name, run = parts[part]
        prepared.setdefault(name, protocol(name))
        run(prepared[name])


if __name__ == "__main__":
    main()
