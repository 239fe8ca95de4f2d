"""An experiment: curves over epsilon, their scores, their comparison, and the choice of a mechanism by them."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nadp.experiment.choosing import choose

__all__ = ["choose"]


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Import `choose` when it is first used: the plan of an experiment needs none of it."""
        if name != "choose":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from nadp.experiment.choosing import choose  # noqa: PLC0415 - see above

        return choose
