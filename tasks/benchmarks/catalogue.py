"""All benchmarks, each declared once.

The ids and revisions on the Hub were read from public pages and code; none has been verified against the live Hub.
"""

import csv

from tasks.benchmarks.declarations import Benchmark, Source

# Ratings and words are read as they stand: no quoting, and the word `null` is a word.
_PLAIN = (("quoting", csv.QUOTE_NONE), ("keep_default_na", False))
_TABS = (("sep", "\t"), *_PLAIN)
_SPACES = (("sep", " "), *_PLAIN)
_PAIR = ("first", "second", "rating")
_BARE = (("header", None), ("names", list(_PAIR)))
_WORD_SETS = "https://raw.githubusercontent.com/mfaruqui/eval-word-vectors/master/data/word-sim/"

_ODD_URL = (
    "https://raw.githubusercontent.com/shuichiotake/NADP/master/"
    "downStream_oddMan/oddMan/Data_OM/9_FromPaper/cat9trmsS.txt"
)

_ALL = (
    Benchmark(
        "men",
        "word-similarity",
        "spearman",
        (
            Source("folder", "word_similarity/men/MEN_dataset_natural_form_full", _PAIR, 3000, "csv", _SPACES + _BARE),
            Source("hub", "Yuti/MEN-word-similarity", ("word1", "word2", "score"), 3000),
            Source("url", _WORD_SETS + "EN-MEN-TR-3k.txt", _PAIR, 3000, "csv", _TABS + _BARE),
        ),
        "CC BY 2.0",
        "Bruni, Tran and Baroni 2014, Multimodal Distributional Semantics, JAIR 49",
    ),
    Benchmark(
        "simlex999",
        "word-similarity",
        "spearman",
        (
            Source(
                "folder", "word_similarity/simlex999/SimLex-999.txt", ("word1", "word2", "SimLex999"), 999, "csv", _TABS
            ),
            Source(
                "package",
                "simlex999.txt",
                _PAIR,
                999,
                "csv",
                (*_TABS, *_BARE, ("comment", "#")),
            ),
            Source("hub", "tasksource/simlex", ("word1", "word2", "SimLex999"), 999, "csv", _TABS),
        ),
        citation="Hill, Reichart and Korhonen 2015, SimLex-999, Computational Linguistics 41(4)",
    ),
    Benchmark(
        "simverb3500",
        "word-similarity",
        "spearman",
        (
            Source(
                "folder",
                "word_similarity/simverb3500/SimVerb-3500.txt",
                _PAIR,
                3500,
                "csv",
                (*_TABS, ("header", None), ("names", ["first", "second", "pos", "rating", "relation"])),
            ),
            Source(
                "url",
                _WORD_SETS + "EN-SimVerb-3500.txt",
                _PAIR,
                3500,
                "csv",
                (*_TABS, ("header", None), ("names", ["first", "second", "pos", "rating", "relation"])),
            ),
        ),
        citation="Gerz, Vulic, Hill, Reichart and Korhonen 2016, SimVerb-3500, EMNLP",
    ),
    Benchmark(
        "wordsim353",
        "word-similarity",
        "spearman",
        (
            Source(
                "folder",
                "word_similarity/wordsim353/combined.csv",
                ("Word 1", "Word 2", "Human (mean)"),
                353,
                "csv",
                _PLAIN,
            ),
            Source("package", "wordsim353.tsv", _PAIR, 353, "csv", (*_TABS, *_BARE, ("comment", "#"))),
            Source("hub", "almogtavor/WordSim353", ("Word 1", "Word 2", "Human (Mean)"), 353, "csv", _PLAIN),
        ),
        citation="Finkelstein et al. 2002, Placing Search in Context, ACM TOIS 20(1)",
    ),
    Benchmark(
        "odd-man-out",
        "odd-man-out",
        "accuracy",
        (
            Source("folder", "odd_man_out/cat9trmsS.txt", ("text",), 1173, "text"),
            Source("url", _ODD_URL, ("text",), 1173, "text"),
        ),
        "Apache-2.0 (repository)",
        "Stanovsky and Hopkins 2018, Spot the Odd Man Out, EMNLP",
    ),
)

BENCHMARKS: dict[str, Benchmark] = {benchmark.name: benchmark for benchmark in _ALL}
