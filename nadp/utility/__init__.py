"""The utility of noisy vectors: one family of benchmarks per file."""
