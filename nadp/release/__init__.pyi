from .certificate import Certificate
from .errors import BudgetError, RefusedError
from .gate import Limits
from .ledger import Ledger
from .making import Released, release

__all__ = ["BudgetError", "Certificate", "Ledger", "Limits", "RefusedError", "Released", "release"]
