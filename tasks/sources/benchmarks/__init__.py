"""The benchmarks: declarations, sources, and fetching."""

from tasks.sources.benchmarks.catalogue import BENCHMARKS
from tasks.sources.benchmarks.fetching import fetch_benchmark, items_of, locate, needed_words

__all__ = ["BENCHMARKS", "fetch_benchmark", "items_of", "locate", "needed_words"]
