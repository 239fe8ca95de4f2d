"""Files of texts: read in shards, encoded, and written in parts."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
