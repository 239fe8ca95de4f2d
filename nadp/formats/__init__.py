"""Embedding files: reading and writing."""

from nadp.formats.reading import read_embeddings
from nadp.formats.writing import write_embeddings

__all__ = ["read_embeddings", "write_embeddings"]
