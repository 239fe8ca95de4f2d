"""Differential privacy for static word embeddings, and measurements of how private they really are.

Each name is imported on first use, so `import nadp` is quick.
"""

import sys

import lazy_loader

if sys.platform == "win32":
    raise ImportError("nadp needs Linux or macOS: it uses POSIX locks and fsync of folders, which Windows lacks")

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
