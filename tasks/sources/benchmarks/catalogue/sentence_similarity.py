"""The sets of sentence pairs."""

from nadp.utility.sentence_similarity import MIXED
from tasks.sources.benchmarks.catalogue.formats import TABS, named
from tasks.sources.benchmarks.declarations import Benchmark, Source

_PAIR = ("sentence1", "sentence2", "score", "=")  # the Hub's copies do not tell the source of a pair
_STS_B = named("genre", "file", "year", "id", "score", "first", "second", "licence", "more")
_STS_B_CITATION = "Cer, Diab, Agirre, Lopez-Gazpio and Specia 2017, SemEval-2017 Task 1"


def _year(year: int, rows: int, hub_rows: int, revision: str | None = None) -> Benchmark:
    return Benchmark(
        f"sts{year}",
        "sentence-similarity",
        "spearman-weighted",
        (
            Source("folder", f"sts/sts{year}/raw", rows, layout="input-and-gold", reader="text"),
            Source("hub", f"mteb/sts{year}-sts", hub_rows, _PAIR, splits=(("test", MIXED),), revision=revision),
        ),
        citation=f"Agirre et al. 20{year}, SemEval / *SEM shared task on semantic textual similarity",
    )


SENTENCE_SIMILARITY = (
    Benchmark(
        "sts-b",
        "sentence-similarity",
        "geometric-mean",
        (
            Source(
                "folder",
                "sts/stsbenchmark/sts-test.csv",
                1379,
                ("first", "second", "score", "="),
                options=(*TABS, *_STS_B),
            ),
            Source(
                "hub",
                "mteb/stsbenchmark-sts",
                1379,
                _PAIR,
                splits=(("test", ""),),
                revision="b0fddb56ed78048fa8b90373c8a3cfc37b684831",
            ),
        ),
        "scores CC BY-SA 4.0; each text under its own terms",
        _STS_B_CITATION,
    ),
    _year(12, 3108, 3108),
    _year(13, 1500, 1500, "7e90230a92c190f1bf69ae9002b8cea547a64cca"),
    _year(14, 3750, 3750),
    _year(15, 3000, 3000),
    _year(16, 1186, 1186, "4d8694f8f0e0100860b497b999b3dbed754a0513"),
)
