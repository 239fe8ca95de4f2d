"""Invented data sets in the layouts of the real ones, and what is to go wrong while they are fetched."""

import gzip
import io
import json
from dataclasses import dataclass, field
from functools import cache

import pyarrow as pa
import pyarrow.parquet as pq

from tests.servers import Fault

STS_B_REVISION = "b0fddb56ed78048fa8b90373c8a3cfc37b684831"
OTHER_REVISION = "0123456789abcdef0123456789abcdef01234567"


def jsonl(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def zipped(*rows):
    return gzip.compress(jsonl(*rows), mtime=0)


def parquet(*rows):
    file = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), file)
    return file.getvalue()


def text(*lines):
    return "".join(line + "\n" for line in lines).encode()


def labelled(*texts, column="text"):
    return [{"extra": "x", "label": label, column: words} for words, label in texts]


@dataclass(frozen=True)
class Case:
    """A benchmark as the Hub has it, and what its rows must be.

    Attributes:
        benchmark: as users ask for it.
        files: of the data set; None leaves the files of the case before.
        rows: those that must come; None if none must.
        faults: what goes wrong.
        first: the id of a data set that is tried before the declared one.
        revision: of the data set, if its files do not tell.
    """

    benchmark: str
    files: dict[str, bytes] | None
    rows: list | None = None
    faults: tuple[Fault, ...] = ()
    first: str = ""
    revision: str | None = None


@dataclass(frozen=True)
class Outcome:
    """What came of a case.

    Attributes:
        rows: of the benchmark.
        warning: that was recorded.
        origin: that was recorded.
        errors: the names of the types of the error and of what caused it.
        message: of the error.
        transient: whether Prefect is to try again.
        asked: method, path and status of each request to the Hub.
        outside: the hosts that were asked besides the Hub.
    """

    rows: list | None = None
    warning: str = ""
    origin: str = ""
    errors: list[str] = field(default_factory=list)
    message: str = ""
    transient: bool | None = None
    asked: list = field(default_factory=list)
    outside: list[str] = field(default_factory=list)


_PAIRS = [
    {"split": "test", "score": 5.0, "sentence2": 'He said "no".', "sentence1": "A man\u2028is null."},
    {"split": "test", "score": 0.4, "sentence2": "Ein Café, dort", "sentence1": "nan"},
]
_PAIR_ROWS = [["A man\u2028is null.", 'He said "no".', 5.0, ""], ["nan", "Ein Café, dort", 0.4, ""]]
_MIXED_ROWS = [[*row[:3], "*"] for row in _PAIR_ROWS]
_WORDS = [[f"first{i}", f"second{i}", i / 100] for i in range(353)]
_CARD = """---
dataset_info:
  features:
  - name: text
    dtype: string
  - name: label
    dtype:
      class_label:
        names:
          '0': neg
          '1': pos
  splits:
  - name: train
    num_examples: 2
  - name: validation
    num_examples: 1
  - name: test
    num_examples: 1
configs:
- config_name: default
  data_files:
  - split: train
    path: train.parquet
  - split: validation
    path: validation.parquet
  - split: test
    path: test.parquet
---
"""


_CONFIGURATIONS = """---
configs:
- config_name: de
  data_files:
  - split: test
    path: de/test-*
- config_name: fr
  data_files:
  - split: test
    path: fr/test-*
---
"""


def _pair(first, second, score):
    return {"sentence1": first, "sentence2": second, "similarity_score": score}


@cache
def layouts():
    """Return one case for each kind of file in which the real data sets come."""
    return {
        "jsonl.gz at a revision": Case(
            "sts-b",
            {"test.jsonl.gz": zipped(*_PAIRS), "train.jsonl.gz": zipped(*_PAIRS[:1])},
            _PAIR_ROWS,
            revision=STS_B_REVISION,
        ),
        "jsonl.gz": Case(
            "sts12",
            {"README.md": b"# STS\n", "test.jsonl.gz": zipped(*_PAIRS)},
            [[*row[:3], "*"] for row in _PAIR_ROWS],
        ),
        "parquet in a folder": Case(
            "men",
            {"data/train-00000-of-00001.parquet": parquet({"score": 50.0, "word2": "sunlight", "word1": "sun"})},
            [["sun", "sunlight", 50.0]],
        ),
        "parquet of one configuration, described by a card": Case(
            "sts-b-fr",
            {
                "README.md": _CONFIGURATIONS.encode(),
                "de/test-00000-of-00001.parquet": parquet(_pair("Ein Hund.", "Ein Tier.", 3.5)),
                "fr/test-00000-of-00001.parquet": parquet(
                    _pair("Un chien.", "Un animal.", 3.5), _pair("L'été.", "L'hiver.", 1.25)
                ),
            },
            [["Un chien.", "Un animal.", 3.5, ""], ["L'été.", "L'hiver.", 1.25, ""]],
            revision="b33b300b976e082fb8e74cc5d1d3bf060e001ba6",
        ),
        "rows of one language of several": Case(
            "wordsim353-de",
            {
                "data.csv": text(
                    "Word1,Word2,Score,Type,Language",
                    "tiger,cat,7.35,sim,en",
                    "Tiger,Katze,7.0,sim,de",
                    "Tiger,Zoo,6.0,rel,de",
                    "Buch,null,1.5,sim,de",
                )
            },
            [["Tiger", "Katze", 7.0], ["Buch", "null", 1.5]],
        ),
        "tab-separated": Case(
            "simlex999",
            {
                "SimLex-999.tsv": text(
                    "word1\tword2\tPOS\tSimLex999\tconc(w1)", "null\tNA\tN\t1.58\t2.7", '"\tnan\tV\t9.2\t1.7'
                )
            },
            [["null", "NA", 1.58], ['"', "nan", 9.2]],
        ),
        "comma-separated": Case(
            "wordsim353",
            {"data.csv": text("Word 1,Word 2,Human (Mean)", *(f"{a},{b},{rating}" for a, b, rating in _WORDS))},
            _WORDS,
        ),
        "jsonl, two splits as one": Case(
            "cr",
            {
                "train.jsonl": jsonl(*labelled(("good", 1), ("null", 0))),
                "test.jsonl": jsonl(*labelled(("bad , very", 0))),
            },
            [["good", 1, ""], ["null", 0, ""], ["bad , very", 0, ""]],
        ),
        "parquet, three splits as one, described by a card": Case(
            "mr",
            {
                "README.md": _CARD.encode(),
                "train.parquet": parquet({"text": "fine", "label": 1}, {"text": "dull", "label": 0}),
                "validation.parquet": parquet({"text": "très bien", "label": 1}),
                "test.parquet": parquet({"text": "so so", "label": 0}),
            },
            [["fine", 1, ""], ["dull", 0, ""], ["très bien", 1, ""], ["so so", 0, ""]],
        ),
        "parquet, one of three splits left out": Case(
            "mpqa",
            {
                "data/train-00000-of-00001.parquet": parquet(*labelled(("hope", 1), column="sentence")),
                "data/test-00000-of-00001.parquet": parquet(*labelled(("fear", 0), column="sentence")),
                "data/dev-00000-of-00001.parquet": parquet(*labelled(("left out", 0), column="sentence")),
            },
            [["hope", 1, ""], ["fear", 0, ""]],
        ),
        "jsonl, official split": Case(
            "sst2",
            {
                "train.jsonl": jsonl(*labelled(("stirring", 1), ("flat", 0))),
                "dev.jsonl": jsonl(*labelled(("left out", 0))),
                "test.jsonl": jsonl(*labelled(("tepid", 0))),
            },
            [["stirring", 1, "train"], ["flat", 0, "train"], ["tepid", 0, "test"]],
        ),
    }


def _sts(*pairs):
    return {
        "test.jsonl.gz": zipped(*(dict(zip(("sentence1", "sentence2", "score"), pair, strict=True)) for pair in pairs))
    }


_DATA = r"resolve/[^/]*/test\.jsonl\.gz$"
_SOUND = _sts(("one", "two", 1.0), ("three", "four", 2.5))
_SOUND_ROWS = [["one", "two", 1.0, "*"], ["three", "four", 2.5, "*"]]
_FRESH = [
    _sts(("one", "two", 1.0), ("three", "four", 2.5 + i)) for i in range(4)
]  # else the client has them in its cache


def _fresh(i):
    return {"files": _FRESH[i], "rows": [_SOUND_ROWS[0], ["three", "four", 2.5 + i, "*"]]}


FAULTS = {
    "503 at the list of files": Case("sts14", **_fresh(1), faults=(Fault("GET", "/api/.*sts14", status=503),)),
    "503 at the first question": Case("sts14", **_fresh(0), faults=(Fault("HEAD", "README", status=503),)),
    "503 at the data": Case("sts14", **_fresh(2), faults=(Fault("GET", _DATA, status=503),)),
    "503 at the data, tried again": Case("sts14", None, _fresh(2)["rows"]),
    "data that break off once": Case("sts15", **_fresh(0), faults=(Fault("GET", _DATA, cut=40),)),
    "data that always break off": Case("sts15", **_fresh(3), faults=(Fault("GET", _DATA, cut=40, times=99),)),
    "another revision": Case("sts16", _SOUND, revision=OTHER_REVISION),
    "unknown data set": Case("sts13", None),
    "unknown data set before a known one": Case("sts12", _FRESH[1], _fresh(1)["rows"], first="nobody/knows"),
    "no score is known": Case("sts12", _sts(("one", "two", -1), ("three", "four", -1))),
    "no label of the test split is known": Case(
        "sst2",
        {
            "train.jsonl": jsonl(*labelled(("stirring", 1), ("flat", 0))),
            "test.jsonl": jsonl(*labelled(("tepid", -1), ("warm", -1))),
        },
    ),
    "a column has another name": Case("sts12", {"test.jsonl.gz": zipped({"sentence1": "a", "s2": "b", "score": 1.0})}),
    "a split is missing": Case("subj", {"train.jsonl": jsonl(*labelled(("stirring", 1), ("flat", 0)))}),
}
"""What goes wrong on the way, or has gone wrong at the source."""
