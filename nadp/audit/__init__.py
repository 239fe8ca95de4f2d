"""How private noisy vectors really are: one attack or measure a file."""
