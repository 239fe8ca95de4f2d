"""An experiment: curves over epsilon, their scores, their comparison, and the choice of a mechanism by them."""

from typing import TYPE_CHECKING

from nadp.runtime.on_demand import on_demand

if TYPE_CHECKING:
    from nadp.experiment.choosing import choose

__all__ = ["choose"]

if not TYPE_CHECKING:  # a type checker would take every name for known
    __getattr__, __dir__ = on_demand(__name__, {"nadp.experiment.choosing": ("choose",)})
