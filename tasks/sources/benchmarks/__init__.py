"""The benchmarks: declarations, sources, and fetching."""
