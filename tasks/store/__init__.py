"""Storage: cached results, files by content, locks, scores, and the shared store."""
