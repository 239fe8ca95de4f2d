"""The errors that a release raises, for callers that catch them."""

from nadp.errors import BudgetError, RefusedError

__all__ = ["BudgetError", "RefusedError"]
