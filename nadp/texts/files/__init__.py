"""Files of texts: read in shards, encoded, and written in parts."""

from nadp.texts.files.formats import FORMATS, Format, format_of
from nadp.texts.files.records import Id, Texts
from nadp.texts.files.sharding import Shard, Split, read, split

__all__ = ["FORMATS", "Format", "Id", "Shard", "Split", "Texts", "format_of", "read", "split"]
