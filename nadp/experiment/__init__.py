"""An experiment: curves over epsilon, their scores, their comparison, and the choice of a mechanism by them."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
