"""Files of texts: read in shards, encoded, and written in parts."""

from typing import TYPE_CHECKING

from nadp.runtime.on_demand import on_demand

if TYPE_CHECKING:
    from nadp.texts.files.formats import FORMATS, Format, format_of
    from nadp.texts.files.records import Id, Texts
    from nadp.texts.files.sharding import Shard, Split, read, split

__all__ = ["FORMATS", "Format", "Id", "Shard", "Split", "Texts", "format_of", "read", "split"]

if not TYPE_CHECKING:  # a type checker would take every name for known
    __getattr__, __dir__ = on_demand(
        __name__,
        {
            "nadp.texts.files.formats": ("FORMATS", "Format", "format_of"),
            "nadp.texts.files.records": ("Id", "Texts"),
            "nadp.texts.files.sharding": ("Shard", "Split", "read", "split"),
        },
    )
