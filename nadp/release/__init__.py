"""Releases of private vectors: unseeded noise, a gate before publication, a certificate and a ledger."""

from typing import TYPE_CHECKING

from nadp.errors import BudgetError
from nadp.runtime.on_demand import on_demand

if TYPE_CHECKING:
    from nadp.mechanisms import RefusedError
    from nadp.release.certificate import Certificate
    from nadp.release.gate import Limits
    from nadp.release.ledger import Ledger
    from nadp.release.making import Released, release

__all__ = ["BudgetError", "Certificate", "Ledger", "Limits", "RefusedError", "Released", "release"]

if not TYPE_CHECKING:  # a type checker would take every name for known
    __getattr__, __dir__ = on_demand(
        __name__,
        {
            "nadp.mechanisms": ("RefusedError",),
            "nadp.release.certificate": ("Certificate",),
            "nadp.release.gate": ("Limits",),
            "nadp.release.ledger": ("Ledger",),
            "nadp.release.making": ("Released", "release"),
        },
    )
