"""Nearest neighbours of points: exact and approximate search with one signature."""

from typing import TYPE_CHECKING

from nadp.runtime.on_demand import on_demand

if TYPE_CHECKING:
    from nadp.search.lists import NearestNeighbours
    from nadp.search.nearest import nearest_neighbours, rule_for_auto

__all__ = ["NearestNeighbours", "nearest_neighbours", "rule_for_auto"]

if not TYPE_CHECKING:  # a type checker would take every name for known
    __getattr__, __dir__ = on_demand(
        __name__,
        {
            "nadp.search.lists": ("NearestNeighbours",),
            "nadp.search.nearest": ("nearest_neighbours", "rule_for_auto"),
        },
    )
