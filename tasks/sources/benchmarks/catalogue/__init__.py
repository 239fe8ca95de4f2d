"""All benchmarks, each declared once.

The ids, revisions and URLs were read from public pages and code; none has been verified against the live Hub.
"""

from tasks.sources.benchmarks.catalogue.classification import CLASSIFICATION
from tasks.sources.benchmarks.catalogue.odd_man_out import ODD_MAN_OUT
from tasks.sources.benchmarks.catalogue.sentence_similarity import SENTENCE_SIMILARITY
from tasks.sources.benchmarks.catalogue.word_similarity import WORD_SIMILARITY
from tasks.sources.benchmarks.declarations import Benchmark

BENCHMARKS: dict[str, Benchmark] = {
    benchmark.name: benchmark for benchmark in (*WORD_SIMILARITY, *SENTENCE_SIMILARITY, *CLASSIFICATION, *ODD_MAN_OUT)
}
"""The benchmarks by the name that users ask for."""
