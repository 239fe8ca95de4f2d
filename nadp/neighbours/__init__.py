"""Nearest neighbours of points: exact search and Annoy, one signature."""

from nadp.neighbours.lists import NearestNeighbours
from nadp.neighbours.search import Search, nearest_neighbours, rule_for_auto

__all__ = ["NearestNeighbours", "Search", "nearest_neighbours", "rule_for_auto"]
