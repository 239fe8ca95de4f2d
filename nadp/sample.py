"""The embedding that comes with the library, for a first run and for tests."""

from pathlib import Path

SAMPLE = Path(__file__).parent / "data" / "glove.6B.50d.10k.zip"
"""The 10,000 most frequent words of glove.6B.50d, in GloVe's own format (see data/ATTRIBUTION.md)."""
