"""Embedding files: reading and writing."""

from nadp.files.reading import read_embeddings
from nadp.files.writing import write_embeddings

__all__ = ["read_embeddings", "write_embeddings"]
