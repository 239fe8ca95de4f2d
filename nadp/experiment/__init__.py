"""An experiment: curves over epsilon, their scores and comparison, and the resulting choice of a mechanism."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
