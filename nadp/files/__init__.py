"""Embedding files: reading and writing."""

from typing import TYPE_CHECKING

from nadp.runtime.on_demand import on_demand

if TYPE_CHECKING:
    from nadp.files.reading import read_embeddings
    from nadp.files.writing import write_embeddings

__all__ = ["read_embeddings", "write_embeddings"]

if not TYPE_CHECKING:  # a type checker would take every name for known
    __getattr__, __dir__ = on_demand(
        __name__,
        {
            "nadp.files.reading": ("read_embeddings",),
            "nadp.files.writing": ("write_embeddings",),
        },
    )
