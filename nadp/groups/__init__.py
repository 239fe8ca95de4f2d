"""Groups that hide words among their neighbours: they have bounds on size and share, and are released as centroids."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
