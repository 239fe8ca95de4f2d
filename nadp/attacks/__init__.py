"""Attacks on noisy vectors, one file for each attack."""
