from .reading import read_embeddings
from .writing import write_embeddings

__all__ = ["read_embeddings", "write_embeddings"]
