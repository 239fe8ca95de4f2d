"""Words hidden among their neighbours: groups of bounded size and share, each released as its centroid."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
