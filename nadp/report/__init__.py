"""What an experiment found, as figures and as a text that a stranger understands."""
