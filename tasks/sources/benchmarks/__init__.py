"""The benchmarks: what each one is, where it may be had, and how it is fetched."""

from tasks.sources.benchmarks.catalogue import BENCHMARKS
from tasks.sources.benchmarks.declarations import Benchmark, Source
from tasks.sources.benchmarks.fetching import fetch_benchmark, items_of, locate, needed_words

__all__ = ["BENCHMARKS", "Benchmark", "Source", "fetch_benchmark", "items_of", "locate", "needed_words"]
