"""Nearest neighbours of points: exact search and Annoy, one signature."""

from nadp.search.lists import NearestNeighbours
from nadp.search.nearest import Search, nearest_neighbours, rule_for_auto

__all__ = ["NearestNeighbours", "Search", "nearest_neighbours", "rule_for_auto"]
