"""Nearest neighbours of points: exact and approximate search with one signature."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
