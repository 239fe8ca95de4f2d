"""The sets of word pairs."""

from tasks.sources.benchmarks.catalogue.formats import PLAIN, SPACES, TABS, named
from tasks.sources.benchmarks.declarations import Benchmark, Place, Source

_PAIR = ("first", "second", "rating")
_BARE = named(*_PAIR)
_FARUQUI = "https://raw.githubusercontent.com/mfaruqui/eval-word-vectors/master/data/word-sim/"
_REPSEVAL = "https://raw.githubusercontent.com/Bollegala/repseval/master/benchmarks/"


def _tabs(place: Place, location: str, rows: int, *more: tuple[str, object]) -> Source:
    """Return a source of lines `word <tab> word <tab> rating`."""
    return Source(place, location, rows, _PAIR, options=(*TABS, *_BARE, *more))


def _verbs(place: Place, location: str, rows: int) -> Source:
    columns = named("first", "second", "pos", "rating", "relation")
    return Source(place, location, rows, _PAIR, options=(*TABS, *columns))


def _word_set(name: str, citation: str, *sources: Source, licence: str = "not stated") -> Benchmark:
    return Benchmark(name, "word-similarity", "spearman", sources, licence, citation)


WORD_SIMILARITY = (
    _word_set(
        "men",
        "Bruni, Tran and Baroni 2014, Multimodal Distributional Semantics, JAIR 49",
        Source("folder", "word_similarity/men/MEN_dataset_natural_form_full", 3000, _PAIR, options=(*SPACES, *_BARE)),
        Source("hub", "Yuti/MEN-word-similarity", 3000, ("word1", "word2", "score")),
        _tabs("url", _FARUQUI + "EN-MEN-TR-3k.txt", 3000),
        licence="CC BY 2.0",
    ),
    _word_set(
        "simlex999",
        "Hill, Reichart and Korhonen 2015, SimLex-999, Computational Linguistics 41(4)",
        Source(
            "folder", "word_similarity/simlex999/SimLex-999.txt", 999, ("word1", "word2", "SimLex999"), options=TABS
        ),
        _tabs("package", "simlex999.txt", 999, ("comment", "#")),
        Source("hub", "tasksource/simlex", 999, ("word1", "word2", "SimLex999"), options=TABS),
    ),
    _word_set(
        "simverb3500",
        "Gerz, Vulic, Hill, Reichart and Korhonen 2016, SimVerb-3500, EMNLP",
        _verbs("folder", "word_similarity/simverb3500/SimVerb-3500.txt", 3500),
        _verbs("url", _FARUQUI + "EN-SimVerb-3500.txt", 3500),
    ),
    _word_set(
        "simverb3000-test",
        "Gerz, Vulic, Hill, Reichart and Korhonen 2016, SimVerb-3500, EMNLP: the test part",
        _verbs("folder", "word_similarity/simverb3500/SimVerb-3000-test.txt", 3000),
        _tabs("url", _REPSEVAL + "simverb_pairs.txt", 3000),
    ),
    _word_set(
        "wordsim353",
        "Finkelstein et al. 2002, Placing Search in Context, ACM TOIS 20(1)",
        Source(
            "folder",
            "word_similarity/wordsim353/combined.csv",
            353,
            ("Word 1", "Word 2", "Human (mean)"),
            options=PLAIN,
        ),
        _tabs("package", "wordsim353.tsv", 353, ("comment", "#")),
        Source("hub", "almogtavor/WordSim353", 353, ("Word 1", "Word 2", "Human (Mean)"), options=PLAIN),
    ),
    _word_set(
        "rg65",
        "Rubenstein and Goodenough 1965, Contextual Correlates of Synonymy, CACM 8(10)",
        _tabs("folder", "word_similarity/rg65/EN-RG-65.txt", 65),
        _tabs("url", _FARUQUI + "EN-RG-65.txt", 65),
    ),
    _word_set(
        "mc30",
        "Miller and Charles 1991, Contextual Correlates of Semantic Similarity",
        _tabs("folder", "word_similarity/mc30/EN-MC-30.txt", 30),
        _tabs("url", _FARUQUI + "EN-MC-30.txt", 30),
    ),
    _word_set(
        "rw",
        "Luong, Socher and Manning 2013, Better Word Representations, CoNLL",
        Source(
            "folder",
            "word_similarity/rw/rw-all.csv",
            2034,
            _PAIR,
            options=(*TABS, *named(*_PAIR, *(f"rater {i}" for i in range(1, 11)))),
        ),
        _tabs("url", _FARUQUI + "EN-RW-STANFORD.txt", 2034),
    ),
    _word_set(
        "mturk771",
        "Halawi, Dror, Gabrilovich and Koren 2012, Large-scale Learning of Word Relatedness, KDD",
        Source("folder", "word_similarity/mturk771/MTURK-771.csv", 771, _PAIR, options=(*PLAIN, *_BARE)),
        _tabs("url", _FARUQUI + "EN-MTurk-771.txt", 771),
    ),
    _word_set(
        "scws",
        "Huang, Socher, Manning and Ng 2012, Improving Word Representations, ACL: the pairs without their contexts",
        _tabs("folder", "word_similarity/repseval_pairs/scws_pairs.txt", 2003),
        _tabs("url", _REPSEVAL + "scws_pairs.txt", 2003),
    ),
)
