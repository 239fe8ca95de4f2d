"""The errors of a release, for those who catch them."""

from nadp.errors import BudgetError, RefusedError

__all__ = ["BudgetError", "RefusedError"]
