import itertools

import numpy as np
import pytest

from nadp import InputError, nearest_neighbours, neighbour_graph
from nadp.graph import common_neighbours, least_common
from tests import reference


@pytest.mark.parametrize("n_neighbours", [2, 5, 10])
def test_the_graph_is_algorithm_1(embeddings, n_neighbours):
    points = embeddings.points.vectors
    lists = nearest_neighbours(points, n_neighbours)
    naive = reference.neighbour_lists(points, n_neighbours)
    sizes = set()
    for tau, adjacency, mutual in itertools.product(["0", ".1", "1/3", ".5", "1"], [2, 3, 5], [False, True]):
        if adjacency > n_neighbours:
            continue
        limit = float(tau) if "/" not in tau else 1 / 3
        found = neighbour_graph(lists, tau=limit, adjacency=adjacency, mutual=mutual)
        expected = sorted(reference.graph(naive, tau, adjacency, mutual))
        assert [tuple(edge) for edge in found.edges.tolist()] == expected
        assert found.lengths == pytest.approx([reference.distance(points[i], points[j]) for i, j in expected])
        assert (found.n_points, found.tau, found.n_neighbours) == (len(points), limit, n_neighbours)
        assert (found.adjacency, found.mutual) == (adjacency, mutual)
        sizes.add(len(found))
    assert len(sizes) > (1 if n_neighbours == 2 else 3)  # the parameters matter on these words


@pytest.mark.parametrize("hundredths", range(101))
def test_overlaps_of_lists_of_ten_are_compared_as_fractions(hundredths):
    enough = [j for j in range(11) if 100 * j >= hundredths * (20 - j)]
    assert least_common(hundredths / 100, 10) == enough[0]


@pytest.mark.parametrize(
    ("tau", "size", "common"),
    [(1 / 3, 10, 5), (0.25, 10, 4), (1 / 3, 2, 1), (0.3, 2, 1), (0.4, 2, 2), (0.2, 6, 2), (0.1, 11, 2)],
)
def test_a_tau_that_is_an_overlap_lets_it_pass(tau, size, common):
    assert least_common(tau, size) == common


def test_common_neighbours_are_counted():
    lists = np.array([[0, 1, 2], [1, 0, 3], [2, 3, 4], [3, 4, 5]])
    assert common_neighbours(lists, np.array([[0, 1], [0, 2], [0, 3], [2, 2]])).tolist() == [2, 1, 0, 3]


def test_the_matrix_is_symmetric_with_two_ones_for_each_edge(clustered):
    graph = neighbour_graph(nearest_neighbours(clustered.vectors), tau=0.2)
    matrix = graph.matrix().toarray()
    assert np.array_equal(matrix, matrix.T)
    assert not matrix.diagonal().any()
    assert sorted(map(tuple, np.argwhere(np.triu(matrix)).tolist())) == list(map(tuple, graph.edges.tolist()))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tau": -0.1}, r"tau.*-0\.1"),
        ({"tau": 1.01}, r"tau.*1\.01"),
        ({"tau": float("nan")}, "tau.*nan"),
        ({"tau": 0.1, "adjacency": 1}, "adjacency.*at least 2, not 1"),
    ],
)
def test_parameters_out_of_range_are_refused_by_name(clustered, options, message):
    with pytest.raises(InputError, match=message):
        neighbour_graph(nearest_neighbours(clustered.vectors), **options)
