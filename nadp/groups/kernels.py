"""The compiled loop that merges groups. tests/reference.py holds the naive version.

Floats are summed in a fixed order, so a partition is the same on every machine.
"""

from heapq import heapify, heappop, heappush

import numpy as np

from nadp.runtime.compiled import compiled

SIZE, SHARE, TOPIC = 0, 1, 2
NOBODY = -1
_OFFERS = 8  # offers kept per point before outdated ones are dropped


@compiled()
def merge(kind, limit, neighbours, parent, centroids, sizes, mass, top, topics, listed):
    """Merge groups until all bounds hold; return how many mergers were not between neighbours.

    Each group has a deficit. For SIZE it is max(0, limit - size) words, for SHARE max(0, top / limit - mass) of prior.
    For TOPIC it is the sum of the same expression over all topics of its listed words, with the topic's mass as `top`.
    The next two groups to merge are the cheapest neighbouring pair in which at least one group has a deficit. Ties go
    to the smaller first points. The cost is Ward's for SIZE; for SHARE and TOPIC it is Ward's, divided by the reduction
    of the deficit. If no neighbour reduces a deficit, the first group with a deficit is merged with the cheapest of all
    groups. If there is no such group, the result is NOBODY.

    Args:
        kind: SIZE, SHARE or TOPIC.
        limit: see above.
        neighbours: (p, k) int32, neighbours of each point; -1 for none.
        parent: (p,) int32, updated: link from each point towards the first point of its group, which represents it.
        centroids: (p, d) float64, updated: centroid of the group at its first point, with equal weights of all words.
        sizes: (p,) int64, updated: number of words of the group.
        mass: (p,) float64, updated: prior of the group, as whole numbers.
        top: (p,) float64, updated: largest prior of a word of the group.
        topics: (p, t) float64, updated: prior of the group's words of each sensitive topic.
        listed: (p, t) bool, updated: whether the group holds a listed word of each topic.
    """
    deficit = np.zeros(len(parent))
    n_deficient, far_mergers = 0, 0
    for group in range(len(parent)):
        if parent[group] == group:
            deficit[group] = _deficit_of(kind, limit, group, sizes, mass, top, topics, listed)
            n_deficient += deficit[group] > 0
    if not n_deficient:
        return 0
    head, tail, next_edge, targets = _neighbour_sets(neighbours, parent)
    changes = np.zeros(len(parent), dtype=np.int32)  # an offer from before the last merger is outdated
    visited = np.zeros(len(parent), dtype=np.bool_)
    offers = [(np.inf, np.int32(0), np.int32(0), np.int32(0), np.int32(0)) for _ in range(0)]
    offer_limit = _OFFERS * len(parent)
    for group in range(len(parent)):
        if parent[group] == group:
            _forget_repeats(group, parent, head, tail, next_edge, targets, visited)
            edge = head[group]
            while edge != NOBODY:
                other = np.int64(targets[edge])
                if other > group and deficit[group] + deficit[other] > 0:
                    cost = _cost(kind, limit, group, other, deficit, centroids, sizes, mass, top, topics, listed)
                    _offer(offers, cost, group, other, changes)
                edge = next_edge[edge]
    while n_deficient:
        a, b = _first_offer(offers, changes)
        if b == NOBODY:
            a, b = _far_pair(kind, limit, parent, deficit, centroids, sizes, mass, top, topics, listed)
            if b == NOBODY:
                return NOBODY
            far_mergers += 1
        n_deficient -= (deficit[a] > 0) + (deficit[b] > 0)
        _join(a, b, parent, centroids, sizes, mass, top, topics, listed)
        _append_neighbours(a, b, head, tail, next_edge)
        deficit[a] = _deficit_of(kind, limit, a, sizes, mass, top, topics, listed)
        n_deficient += deficit[a] > 0
        changes[a] += 1
        changes[b] += 1
        _forget_repeats(a, parent, head, tail, next_edge, targets, visited)
        edge = head[a]
        while edge != NOBODY:
            other = np.int64(targets[edge])
            if deficit[a] + deficit[other] > 0:
                low, high = min(a, other), max(a, other)
                cost = _cost(kind, limit, low, high, deficit, centroids, sizes, mass, top, topics, listed)
                _offer(offers, cost, low, high, changes)
            edge = next_edge[edge]
        if len(offers) > offer_limit:
            offers = [offer for offer in offers if _is_current(offer, changes)]
            heapify(offers)
            offer_limit = max(offer_limit, 2 * len(offers))
    return far_mergers


@compiled()
def _deficit_of(kind, limit, a, sizes, mass, top, topics, listed):
    if kind == SIZE:
        return max(0.0, limit - sizes[a])
    if kind == SHARE:
        return max(0.0, top[a] / limit - mass[a])
    total = 0.0
    for t in range(topics.shape[1]):
        if listed[a, t]:
            total += max(0.0, topics[a, t] / limit - mass[a])
    return total


@compiled()
def _cost(kind, limit, a, b, deficit, centroids, sizes, mass, top, topics, listed):
    """Return the cost of merging two groups; infinite if it gains nothing."""
    squared = 0.0
    for k in range(centroids.shape[1]):
        step = centroids[a, k] - centroids[b, k]
        squared += step * step
    ward = sizes[a] * sizes[b] / (sizes[a] + sizes[b]) * squared
    if kind == SIZE:
        return ward
    joint_mass = mass[a] + mass[b]
    if kind == SHARE:  # deficit[a] + deficit[b] - remaining, without cancellation
        loser = a if top[a] < top[b] else b
        remaining = max(top[a], top[b]) / limit - joint_mass
        gain = max(mass[loser], top[loser] / limit) if remaining > 0 else deficit[a] + deficit[b]
    else:
        gain = deficit[a] + deficit[b]
        for t in range(topics.shape[1]):
            if listed[a, t] or listed[b, t]:
                gain -= max(0.0, (topics[a, t] + topics[b, t]) / limit - joint_mass)
    return ward / gain if gain > 0 else np.inf


@compiled()
def _far_pair(kind, limit, parent, deficit, centroids, sizes, mass, top, topics, listed):
    """Return the first group with a deficit and the cheapest of all other groups, the smaller number first."""
    for a in range(len(parent)):
        if parent[a] == a and deficit[a] > 0:
            best, least_cost = NOBODY, np.inf
            for b in range(len(parent)):
                if parent[b] == b and b != a:
                    cost = _cost(kind, limit, a, b, deficit, centroids, sizes, mass, top, topics, listed)
                    if cost < least_cost:
                        best, least_cost = b, cost
            if best != NOBODY:
                return min(a, best), max(a, best)
    return NOBODY, NOBODY


@compiled()
def _join(a, b, parent, centroids, sizes, mass, top, topics, listed):
    """Merge group b into group a."""
    joint_size = sizes[a] + sizes[b]
    for k in range(centroids.shape[1]):
        centroids[a, k] = (sizes[a] * centroids[a, k] + sizes[b] * centroids[b, k]) / joint_size
    for t in range(topics.shape[1]):
        topics[a, t] += topics[b, t]
        listed[a, t] |= listed[b, t]
    sizes[a] = joint_size
    mass[a] += mass[b]
    top[a] = max(top[a], top[b])
    parent[b] = a


@compiled()
def _root(parent, point):
    while parent[point] != point:
        parent[point] = parent[parent[point]]
        point = parent[point]
    return point


@compiled()
def _neighbour_sets(neighbours, parent):
    """Return the neighbours of each group as linked lists of edges (head, tail, next_edge, reached).

    Each edge is in the lists of both of its groups. The list of group a starts with edge head[a] and ends with tail[a];
    edge e reaches group reached[e] and is followed by next_edge[e].
    """
    points, width = neighbours.shape
    head, tail = np.full(points, NOBODY, dtype=np.int32), np.full(points, NOBODY, dtype=np.int32)
    next_edge = np.full(2 * points * width, NOBODY, dtype=np.int32)
    targets = np.empty(2 * points * width, dtype=np.int32)
    n_edges = 0
    for point in range(points):
        for j in range(width):
            if neighbours[point, j] >= 0:
                a, b = _root(parent, np.int64(point)), _root(parent, np.int64(neighbours[point, j]))
                n_edges = _add_edge(a, b, n_edges, head, tail, next_edge, targets)
                n_edges = _add_edge(b, a, n_edges, head, tail, next_edge, targets)
    return head, tail, next_edge, targets


@compiled()
def _add_edge(a, b, edge, head, tail, next_edge, targets):
    targets[edge] = b
    next_edge[edge] = head[a]
    if head[a] == NOBODY:
        tail[a] = edge
    head[a] = edge
    return edge + 1


@compiled()
def _append_neighbours(a, b, head, tail, next_edge):
    """Append the neighbours of group b to the neighbours of group a."""
    if head[a] == NOBODY:
        head[a], tail[a] = head[b], tail[b]
    elif head[b] != NOBODY:
        next_edge[tail[a]] = head[b]
        tail[a] = tail[b]


@compiled()
def _forget_repeats(a, parent, head, tail, next_edge, targets, visited):
    """Reduce the linked list of group a to one entry per neighbour, its representative, and remove a itself."""
    last_kept, edge = NOBODY, head[a]
    visited[a] = True
    while edge != NOBODY:
        following, targets[edge] = next_edge[edge], _root(parent, np.int64(targets[edge]))
        if not visited[targets[edge]]:
            visited[targets[edge]], last_kept = True, edge
        elif last_kept == NOBODY:
            head[a] = following
        else:
            next_edge[last_kept] = following
        edge = following
    tail[a], edge = last_kept, head[a]
    visited[a] = False
    while edge != NOBODY:
        visited[targets[edge]] = False
        edge = next_edge[edge]


@compiled()
def _offer(offers, cost, a, b, changes):
    """Push the merger of two groups on the heap, unless it gains nothing; ties go to the smaller group numbers."""
    if cost < np.inf:
        heappush(offers, (cost, np.int32(a), np.int32(b), changes[a], changes[b]))


@compiled()
def _first_offer(offers, changes):
    """Pop the cheapest merger that is not outdated; NOBODY if there is none."""
    while len(offers):
        offer = heappop(offers)
        if _is_current(offer, changes):
            return np.int64(offer[1]), np.int64(offer[2])
    return np.int64(NOBODY), np.int64(NOBODY)


@compiled()
def _is_current(offer, changes):
    return changes[offer[1]] == offer[3] and changes[offer[2]] == offer[4]
