"""Releases of private vectors: unseeded noise, a gate before publication, a certificate and a ledger."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
