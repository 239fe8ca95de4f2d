"""Where files come from: downloads, the Hub, archives, benchmarks; and what is worth another try."""
