"""What outlives a task: cached results, files by content, locks, scores, and the store that machines share."""
