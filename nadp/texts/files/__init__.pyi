from .formats import FORMATS, Format, format_of
from .records import Id, Texts
from .sharding import Shard, Split, read, split

__all__ = ["FORMATS", "Format", "Id", "Shard", "Split", "Texts", "format_of", "read", "split"]
