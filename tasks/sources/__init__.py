"""Sources of files: downloads, the Hub, archives, benchmarks; and which errors to retry."""
