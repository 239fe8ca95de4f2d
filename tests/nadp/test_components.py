import numpy as np
import pytest

from nadp import (
    Embeddings,
    EmbeddingSpace,
    InputError,
    NoSensitivityError,
    nearest_neighbours,
    neighbour_graph,
    neighbourhoods,
    read_embeddings,
)
from tests import reference

POLICIES = ["nearest", "global", "drop", "exact"]


def sets(labels):
    """The components that labels stand for, as a set of sets."""
    return {frozenset(np.flatnonzero(labels == label).tolist()) for label in range(max(labels) + 1)}


@pytest.mark.parametrize("isolated", POLICIES)
@pytest.mark.parametrize(
    ("tau", "adjacency", "mutual"), [("0", 3, False), (".1", 2, False), (".5", 2, False), (".3", 2, True)]
)
def test_components_and_sensitivities_are_those_of_algorithms_2_and_3(embeddings, tau, adjacency, mutual, isolated):
    points = embeddings.points.vectors
    lists = nearest_neighbours(points)
    found = neighbourhoods(neighbour_graph(lists, tau=float(tau), adjacency=adjacency, mutual=mutual), lists, isolated)
    naive = reference.neighbour_lists(points, 10)
    plain = reference.graph(naive, tau, adjacency, mutual)
    edges, delta, released = reference.protected(points, naive, plain, isolated)
    assert list(map(tuple, found.graph.edges.tolist())) == sorted(edges)
    assert found.graph.lengths == pytest.approx([reference.distance(points[i], points[j]) for i, j in sorted(edges)])
    assert sets(found.labels) == set(map(frozenset, reference.components(len(points), edges)))
    assert found.sizes.tolist() == [int((found.labels == label).sum()) for label in range(len(found.sizes))]
    assert found.sensitivity[found.labels] == pytest.approx(delta, rel=1e-14)
    assert found.global_sensitivity == max(found.sensitivity)
    assert found.released.tolist() == released
    alone = [not any(i in edge for edge in plain) for i in range(len(points))]
    assert found.was_isolated.tolist() == alone


def test_the_graphs_of_these_tests_have_isolated_words_and_large_components(clustered):
    space = EmbeddingSpace.build(clustered, tau=0.3, isolated="exact")
    assert 0.05 < space.neighbourhoods.was_isolated.mean() < 0.6
    assert space.neighbourhoods.sizes.max() >= 5


def test_under_nearest_no_word_is_without_a_neighbour(embeddings):
    space = EmbeddingSpace.build(embeddings, tau=0.5, isolated="nearest")
    assert (space.neighbourhoods.sizes > 1).all()
    assert (space.sensitivity > 0).all()


def test_an_isolated_word_is_without_noise_under_exact_alone(clustered):
    without = {p: (EmbeddingSpace.build(clustered, tau=0.5, isolated=p).sensitivity == 0).mean() for p in POLICIES}
    assert without["exact"] == without["drop"] > 0.1  # under drop it is not released
    assert without["nearest"] == without["global"] == 0


def test_an_unknown_policy_is_refused_with_those_there_are(clustered):
    with pytest.raises(InputError, match=r"nearest, global, drop, exact, not .keep."):
        EmbeddingSpace.build(clustered, isolated="keep")


@pytest.mark.parametrize("words", [1, 3])
def test_words_that_share_one_vector_have_nothing_to_protect(words):
    with pytest.raises(InputError, match="nothing to protect"):
        EmbeddingSpace.build(Embeddings([f"w{i}" for i in range(words)], np.ones((words, 2))))


def test_a_graph_without_edges_has_no_global_sensitivity(clustered):
    found = EmbeddingSpace.build(clustered, tau=1, isolated="exact").neighbourhoods
    assert len(found.graph) == 0
    assert (found.sensitivity == 0).all()
    with pytest.raises(NoSensitivityError, match=r"no edge at tau=1.*smaller tau, or isolated='nearest'"):
        _ = found.global_sensitivity


TAUS = [0.1, 0.2, 0.3, 0.4, 0.5]
GOLDEN = {  # shares of isolated words, in per cent, and the largest component
    2: ([3.5, 28.3, 46.9, 64.7, 79.2], [197, 49, 22, 19, 16]),
    3: ([1.1, 19.8, 39.2, 59.6, 76.1], [19102, 1431, 115, 57, 28]),
}


@pytest.fixture(scope="module")
def twenty_thousand(shared):
    return nearest_neighbours(read_embeddings(shared / "embeddings" / "glove.6B.50d.zip", limit=20_000).vectors)


@pytest.mark.shared
@pytest.mark.parametrize("adjacency", GOLDEN)
def test_twenty_thousand_glove_words_fall_into_the_known_neighbourhoods(twenty_thousand, adjacency):
    shares, largest = [], []
    for tau in TAUS:
        graph = neighbour_graph(twenty_thousand, tau=tau, adjacency=adjacency)
        found = neighbourhoods(graph, twenty_thousand, "exact")
        shares.append(100 * found.was_isolated.mean())
        largest.append(found.sizes.max())
    expected_shares, expected_largest = GOLDEN[adjacency]
    assert shares == pytest.approx(expected_shares, abs=0.1)
    assert largest == expected_largest
