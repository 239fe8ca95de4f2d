"""Embedding files: reading and writing."""

from nadp.formats.glove import read_embeddings

__all__ = ["read_embeddings"]
