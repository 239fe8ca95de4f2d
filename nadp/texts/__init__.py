"""Private texts: fresh noise for every token, the guarantee of a whole text, and decoding."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
