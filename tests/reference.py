"""The oracle: the paper's algorithms as naive loops over plain lists. Nothing of nadp is used here."""

from fractions import Fraction
from itertools import combinations, product
from math import hypot, log, sqrt


def squared_distance(x, y):
    total = 0.0
    for a, b in zip(x, y, strict=True):
        total += (float(a) - float(b)) ** 2
    return total


def distance(x, y):
    return sqrt(squared_distance(x, y))


def smallest(scores, k, skip=-1):
    """The columns of the k smallest scores, ties by column."""
    return sorted((j for j in range(len(scores)) if j != skip), key=lambda j: (scores[j], j))[:k]


def nearest(x, points, k):
    """The k points nearest to any vector x, ties by row."""
    return smallest([squared_distance(x, y) for y in points], k)


def neighbour_lists(points, k):
    """S_k of each point: itself first, then the others by distance, ties by row."""
    points = [[float(v) for v in row] for row in points]
    return [
        [i, *smallest([squared_distance(x, y) for y in points], k - 1, skip=i)][: len(points)]
        for i, x in enumerate(points)
    ]


def distinct(vectors):
    """The point of each word and the first word of each point; +0.0 equals -0.0, as Python has it."""
    seen, of_word, first_word = {}, [], []
    for row, vector in enumerate(vectors):
        key = tuple(float(v) for v in vector)
        if key not in seen:
            seen[key] = len(first_word)
            first_word.append(row)
        of_word.append(seen[key])
    return of_word, first_word


def jaccard(one, other):
    return Fraction(len(set(one) & set(other)), len(set(one) | set(other)))


def graph(lists, tau, adjacency=2, mutual=False):
    """Algorithm 1: the edges (smaller, larger). tau is a string or Fraction, so that it is exact."""
    edges = set()
    for i, own in enumerate(lists):
        for j in own[:adjacency]:
            both = i in lists[j][:adjacency]
            if i != j and (both or not mutual) and jaccard(own, lists[j]) >= Fraction(tau):
                edges.add((min(i, j), max(i, j)))
    return edges


def components(n, edges):
    """Algorithm 2, line by line."""
    neighbours = {i: {i} for i in range(n)}
    for i, j in edges:
        neighbours[i].add(j)
        neighbours[j].add(i)
    found, done = [], set()
    while len(done) < n:
        x = min(set(range(n)) - done)
        component = {x}
        fresh = neighbours[x] - component
        component |= fresh
        while fresh:
            fresh = set().union(*(neighbours[y] for y in component)) - component
            component |= fresh
        done |= component
        found.append(component)
    return found


def sensitivities(points, edges):
    """Delta_i of each point: the longest edge of its component, 0 for a point alone."""
    delta = [0.0] * len(points)
    for component in components(len(points), edges):
        inside = [distance(points[i], points[j]) for i, j in edges if i in component]
        for i in component:
            delta[i] = max(inside, default=0.0)
    return delta


def protected(points, lists, edges, isolated):
    """Edges, Delta_i and whether it is released, of each point, under a policy for points alone."""
    alone = {i for i in range(len(points)) if not any(i in edge for edge in edges)}
    if isolated == "nearest":
        edges = edges | {(min(i, lists[i][1]), max(i, lists[i][1])) for i in alone}
    delta = sensitivities(points, edges)
    if isolated == "global":
        delta = [max(delta) if i in alone else d for i, d in enumerate(delta)]
    released = [not (isolated == "drop" and i in alone) for i in range(len(points))]
    return edges, delta, released


def cosine(x, y):
    lengths = hypot(*x) * hypot(*y)
    return sum(a * b for a, b in zip(x, y, strict=True)) / lengths if lengths else 0.0


def odd_one_out(terms):
    """The term whose removal leaves the largest sum of pairwise cosines; the first among equals."""
    terms = [[float(v) for v in term] for term in terms]
    left = []
    for odd in range(len(terms)):
        others = terms[:odd] + terms[odd + 1 :]
        left.append(sum(cosine(x, y) for x, y in combinations(others, 2)))
    return left.index(max(left))


def ranks(sample):
    """Ranks from 1; ties share their mean rank."""
    return [sum(b < a for b in sample) + (sum(b == a for b in sample) + 1) / 2 for a in sample]


def pearson(one, other):
    n = len(one)
    a, b = ([v - sum(sample) / n for v in sample] for sample in (one, other))
    return sum(x * y for x, y in zip(a, b, strict=True)) / sqrt(sum(x * x for x in a) * sum(y * y for y in b))


def spearman(one, other):
    return pearson(ranks(one), ranks(other))


def ward(one, other):
    """How much the sum of squared distances to the centroids grows if two groups (centroid, size) are merged."""
    (x, n), (y, m) = one, other
    return n * m / (n + m) * squared_distance(x, y)


def merged(points, lists, words, phases):
    """Groups of points, by merging the cheapest pair again and again; None if a group must stay without what it lacks.

    words: for each point its words, each as (prior, topic, whether it is sensitive). phases: (kind, limit), one after
    the other; kind is "size", "share" or "topic". A group stands under its smallest point.
    """
    groups = {
        i: {"points": {i}, "centroid": [float(v) for v in x], "size": len(own), "words": list(own)}
        for i, (x, own) in enumerate(zip(points, words, strict=True))
    }
    for kind, limit in phases:
        while any(lack(group["words"], kind, limit) for group in groups.values()):
            near = [(a, b) for a, b in combinations(sorted(groups), 2) if neighbouring(groups[a], groups[b], lists)]
            offers = [offer for a, b in near if (offer := offered(groups, a, b, kind, limit))]
            for a in sorted(groups):
                if not offers and lack(groups[a]["words"], kind, limit):
                    far = [(min(a, b), max(a, b)) for b in groups if b != a]
                    offers = [offer for a, b in far if (offer := offered(groups, a, b, kind, limit))]
            if not offers:
                return None
            _, a, b = min(offers)
            one, other = groups[a], groups.pop(b)
            n, m = one["size"], other["size"]
            pairs = zip(one["centroid"], other["centroid"], strict=True)
            groups[a] = {
                "points": one["points"] | other["points"],
                "centroid": [(n * x + m * y) / (n + m) for x, y in pairs],
                "size": n + m,
                "words": one["words"] + other["words"],
            }
    return [groups[a]["points"] for a in sorted(groups)]


def neighbouring(one, other, lists):
    return any(j in lists[i] or i in lists[j] for i in one["points"] for j in other["points"])


def lack(words, kind, limit):
    """What a group of words lacks of its bound, exactly."""
    mass = sum(Fraction(prior) for prior, _, _ in words)
    if kind == "size":
        return max(0, limit - len(words))
    if kind == "share":
        return max(0, max(Fraction(prior) for prior, _, _ in words) / Fraction(limit) - mass)
    lacks = 0
    for topic in {topic for _, topic, sensitive in words if sensitive and topic >= 0}:
        lacks += max(0, sum(Fraction(prior) for prior, other, _ in words if other == topic) / Fraction(limit) - mass)
    return lacks


def offered(groups, a, b, kind, limit):
    """The cost of merging two groups, with their names; None if nothing is gained."""
    one, other = groups[a], groups[b]
    before = lack(one["words"], kind, limit) + lack(other["words"], kind, limit)
    gain = before - lack(one["words"] + other["words"], kind, limit)
    cost = ward((one["centroid"], one["size"]), (other["centroid"], other["size"]))
    if before == 0 or (gain <= 0 and kind != "size"):
        return None
    return (cost if kind == "size" else cost / float(gain)), a, b


def best_guess(groups, prior):
    """The success of the best attacker who sees the group of a word: each way to answer is tried."""
    return max(sum(prior[word] for word in answer) for answer in product(*groups))


def posterior(groups, prior, word):
    """How probable a word is, given its group, by Bayes' rule."""
    (own,) = (group for group in groups if word in group)
    return prior[word] / sum(prior[other] for other in own)


def witten_bell(texts, prior):
    """The probability of each word without context, and that of w after v, None standing for the beginning."""
    words = [word for text in texts for word in text]
    pairs = [(v, w) for text in texts for v, w in zip([None, *text], text, strict=False)]
    new, total = len(set(words)), sum(prior)
    single = [(words.count(w) + new * p / total) / (len(words) + new) for w, p in enumerate(prior)]

    def after(v, w):
        following = [other for first, other in pairs if first == v]
        kinds = len(set(following))
        if not following:
            return single[w]
        return (following.count(w) + kinds * single[w]) / (len(following) + kinds)

    return single, after


def best_reading(candidates, after):
    """The most probable of all sequences of candidates (word, logarithm of its likelihood); the first among equals."""

    def score(way):
        pairs = zip([None, *(word for word, _ in way)], way, strict=False)
        return sum(log(after(v, w)) + known for v, (w, known) in pairs)

    return [word for word, _ in max(product(*candidates), key=score)]
