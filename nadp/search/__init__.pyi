from .lists import NearestNeighbours
from .nearest import nearest_neighbours, rule_for_auto

__all__ = ["NearestNeighbours", "nearest_neighbours", "rule_for_auto"]
