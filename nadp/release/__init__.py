"""Releases of private vectors: unseeded noise, a gate before publication, a certificate and a ledger."""

from nadp.errors import BudgetError
from nadp.mechanisms import RefusedError
from nadp.release.certificate import Certificate
from nadp.release.gate import Limits
from nadp.release.ledger import Ledger
from nadp.release.making import Released, release

__all__ = ["BudgetError", "Certificate", "Ledger", "Limits", "RefusedError", "Released", "release"]
