"""An experiment: curves over epsilon, their scores, and their comparison."""
