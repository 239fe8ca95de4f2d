"""What noisy vectors are still good for: one family of benchmarks a file."""
