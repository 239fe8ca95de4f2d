from .choosing import choose

__all__ = ["choose"]
