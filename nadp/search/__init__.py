"""Nearest neighbours of points: exact and approximate search with one signature."""

from nadp.search.lists import NearestNeighbours
from nadp.search.nearest import Search, nearest_neighbours, rule_for_auto

__all__ = ["NearestNeighbours", "Search", "nearest_neighbours", "rule_for_auto"]
